public import CoreNetKitChain
public import CoreNetKitEndpoints
import CoreNetKitEssentials
public import CoreNetKitRecovery
public import CoreNetKitSharedStore
import CoreNetKitSystem

extension CircuitBreaker {
    /// Creates a closed circuit that also reacts to open circuits of other processes.
    ///
    /// Only a hint is shared. A process whose circuit opens stores a hint for the length of its pause. Another process looks
    /// for it when a call of its own fails, without delaying the call and at most once a second, or once per tenth of the
    /// pause if that is shorter. With a hint, half as many calls are enough to judge, at the same failure ratio. A hint
    /// never opens a circuit whose calls succeed or that has no calls. While the store is unavailable, each process judges
    /// alone.
    ///
    /// The first parameters are those of a circuit of one process; with a hint half of `minimumCalls` are needed,
    /// rounded up, and the pause is at least a millisecond. The name distinguishes this server from others in the
    /// store, such as `api.example.com`: the same in each process, not empty. `events` reports hints that opened the
    /// circuit earlier, and an unreachable store; it must return quickly.
    public convenience init(
        ratio: Double = 0.5,
        minimumCalls: Int = 10,
        window: Duration = .seconds(10),
        pause: Duration = .seconds(10),
        named name: String,
        in store: any SharedStore,
        counts: @escaping @Sendable (NetworkError) -> Bool = { CircuitBreaker.isServerFailure($0) },
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        let hints = SharedBreakerHints(name, pause: pause, in: store, events)
        self.init(ratio, minimumCalls, window: window, pause: pause, counts: counts, hints: hints)
    }
}

extension Endpoints {
    /// Lets processes with the same logical origin know which members the others have ejected.
    ///
    /// Only a hint is shared, as for an open circuit. A process that ejects a member after three failures of its own
    /// stores a hint for the length of the pause. Another process looks for it when a request of its own to that member
    /// fails, without delaying the call and at most once a second. With a hint, that one failure is enough to eject the
    /// member. A hint never ejects a member whose requests succeed here. While the store is unavailable, each process
    /// judges alone. Events of `breaker` report hints that ejected a member, and an unreachable store; `events` must
    /// return quickly.
    public func shareHealth(in store: any SharedStore, events: @escaping @Sendable (FleetEvent) -> Void = { _ in }) {
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

/// The hint that a circuit is open in some process: an empty value, without a time because the clocks of processes
/// differ, that expires when the circuit's pause ends.
final class SharedBreakerHints: BreakerHints {
    let problem: String?
    private let name: String
    private let key: SharedKey
    private let pause: Duration
    private let store: any SharedStore
    private let events: @Sendable (FleetEvent) -> Void
    /// When the store was last read, by the clock of the failed call.
    private let readAt = Locked<Duration?>(nil)
    /// The version of this process's own hint.
    private let ownVersion = Locked<UInt64?>(nil)

    init(
        _ name: String,
        pause: Duration,
        in store: any SharedStore,
        _ events: @escaping @Sendable (FleetEvent) -> Void
    ) {
        (self.name, self.pause, self.store, self.events) = (name, pause.bounded, store, events)
        key = SharedKey(kind: "breaker", name)
        problem =
            name.isEmpty
            ? "a breaker with hints needs a name, as in 'api.example.com'"
            : pause < .milliseconds(1) ? "the pause of a breaker with hints is at least 1 ms, not \(pause)" : nil
    }

    /// How long the result of a read counts, whether it found a hint or not.
    private var validity: Duration { min(pause / 10, .seconds(1)) }

    func opened(by cause: BreakerCause, for pause: Duration) {
        if cause == .hint {
            events(FleetEvent(.breaker, .openedEarly, "the circuit '\(name)' opens, as it is open in another process"))
            // Storing a hint here would make processes reopen each other's circuits forever: only full judgements are shared.
            return
        }
        _ = Task<Void, Never>.startSeparately { [self] in
            do throws(SharedStoreError) {
                let version = try await store.write(key, Data(), ifVersion: nil, for: max(pause, .milliseconds(1)))
                ownVersion.withLock { $0 = version }
            } catch {
                noteAway(error)
            }
        }
    }

    func failed(at now: Duration, _ onHint: @escaping @Sendable (Duration) -> Void) {
        let isDue = readAt.withLock { readAt in
            if let readAt, now < readAt + validity { return false }
            readAt = now
            return true
        }
        guard isDue else { return }
        _ = Task<Void, Never>.startSeparately { [self] in
            do throws(SharedStoreError) {
                let hint = try await store.read(key)
                if let hint, hint.version != ownVersion.withLock({ $0 }) { onHint(validity) }
            } catch {
                noteAway(error)
            }
        }
    }

    private func noteAway(_ error: SharedStoreError) {
        // The store was already backing off; its first failure was reported.
        guard error.code != .unavailable, error.code != .cancelled else { return }
        events(FleetEvent(.breaker, .fallback, "the circuit '\(name)' goes by what this process sees", cause: error))
    }
}
