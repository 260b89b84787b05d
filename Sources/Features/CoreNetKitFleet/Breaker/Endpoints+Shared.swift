public import CoreNetKitEndpoints
public import CoreNetKitSharedStore
import CoreNetKitSystem

extension Endpoints {
    /// Lets processes with the same logical origin know which members the others have ejected.
    ///
    /// Only a hint is shared, as for an open circuit. A process that ejects a member after three failures of its own stores a
    /// hint for the length of the pause. Another process looks for it when a request of its own to that member fails, without
    /// delaying the call and at most once a second. With a hint, that one failure is enough to eject the member. A hint never
    /// ejects a member whose requests succeed here. While the store is unavailable, each process judges alone.
    ///
    /// - Parameters:
    ///   - store: Where hints are stored.
    ///   - events: Called when a hint ejected a member, and when the store is unreachable, as events of `breaker`; must return
    ///     quickly.
    public func shareHealth(
        in store: any SharedStore,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        let (origin, known) = (origin, Locked<[String: SharedBreakerHints]>([:]))
        follow { member in
            known.withLock { known in
                if let hints = known[member] { return hints }
                // Discovered members come and go.
                if known.count >= 256 { known = [:] }
                let hints = SharedBreakerHints("\(member) of \(origin)", pause: .seconds(10), in: store, events)
                known[member] = hints
                return hints
            }
        }
    }
}
