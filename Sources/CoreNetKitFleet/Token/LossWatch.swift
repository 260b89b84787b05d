import CoreNetKitChain
import CoreNetKitSharedStore
import CoreNetKitSystem

/// When the store may have come back without what it knew: one reader of its changes, however many logins it has.
final class LossWatch: Sendable {
    private let reader = Locked<Task<Void, Never>?>(nil)
    private let last = Locked<Duration?>(nil)

    deinit { reader.withLock { $0 }?.cancel() }

    /// When a connection was found to have been lost last.
    var lastLoss: Duration? { last.withLock { $0 } }

    /// Listens from now on.
    func begin(_ store: any SharedStore, _ kind: String, _ clock: CallClock) {
        reader.withLock { reader in
            guard reader == nil else { return }
            let changes = store.changes(of: kind)
            reader = Task { [weak self] in
                var isFirst = true
                for await change in changes where change == .all {
                    // The first one says that news are heard of from now on.
                    if !isFirst { self?.note(clock.now) }
                    isFirst = false
                }
            }
        }
    }

    private func note(_ time: Duration) { last.withLock { $0 = time } }
}
