#if os(Linux)
    import CoreNetKitSystem

    /// The write that a cancelled task withdraws, once there is one.
    final class PendingWrite: Sendable {
        private let place = Locked<DuplexWrite?>(nil)

        var write: DuplexWrite? { place.withLock { $0 } }

        func set(_ write: DuplexWrite) { place.withLock { $0 = write } }
    }
#endif
