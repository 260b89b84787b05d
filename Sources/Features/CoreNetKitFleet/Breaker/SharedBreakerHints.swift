import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

/// The hint that a circuit is open in some process: an empty value that expires when the circuit's pause ends.
///
/// It contains no time of day, because the clocks of processes differ.
final class SharedBreakerHints: BreakerHints {
    private struct State: Sendable {
        /// When the store was last read, by the clock of the failed call.
        var readAt: Duration?
        /// The version of this process's own hint.
        var ownVersion: UInt64?
    }

    let problem: String?
    private let name: String
    private let key: SharedKey
    private let pause: Duration
    private let store: any SharedStore
    private let events: @Sendable (FleetEvent) -> Void
    private let state = Locked(State())

    init(
        _ name: String,
        pause: Duration,
        in store: any SharedStore,
        _ events: @escaping @Sendable (FleetEvent) -> Void
    ) {
        (self.name, self.store, self.events) = (name, store, events)
        self.pause = pause.bounded
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
        _ = Task<Void, Never>.beside { [self] in
            do throws(SharedStoreError) {
                let version = try await store.write(key, Data(), over: nil, for: max(pause, .milliseconds(1)))
                state.withLock { $0.ownVersion = version }
            } catch {
                noteAway(error)
            }
        }
    }

    func failed(at now: Duration, _ hear: @escaping @Sendable (Duration) -> Void) {
        let isDue = state.withLock { state in
            if let readAt = state.readAt, now < readAt + validity { return false }
            state.readAt = now
            return true
        }
        guard isDue else { return }
        _ = Task<Void, Never>.beside { [self] in
            do throws(SharedStoreError) {
                let hint = try await store.read(key)
                if let hint, hint.version != state.withLock(\.ownVersion) { hear(validity) }
            } catch {
                noteAway(error)
            }
        }
    }

    private func noteAway(_ error: SharedStoreError) {
        // The guarded store was already resting; its first failure was reported.
        guard error.code != .unavailable, error.code != .cancelled else { return }
        events(FleetEvent(.breaker, .fallback, "the circuit '\(name)' goes by what this process sees", cause: error))
    }
}
