import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

/// That a circuit is open in some process: a value without content, which lives as long as the circuit stays open.
///
/// No time of day is in it: processes do not agree on one.
final class SharedBreakerHints: BreakerHints {
    private struct State: Sendable {
        /// When the store was asked last, by the clock of the call that failed.
        var askedAt: Duration?
        /// The version of this process's own hint.
        var own: UInt64?
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

    /// How long a look at the store counts, whether it found a hint or not.
    private var lookCounts: Duration { min(pause / 10, .seconds(1)) }

    func opened(by cause: BreakerCause, for pause: Duration) {
        if cause == .hint {
            events(FleetEvent(.breaker, .openedEarly, "the circuit '\(name)' opens, as it is open in another process"))
            // Its own hint would make each process open the next one for ever: only what was seen in full is told.
            return
        }
        _ = Task<Void, Never>.beside { [self] in
            do throws(SharedStoreError) {
                let version = try await store.write(key, Data(), over: nil, for: max(pause, .milliseconds(1)))
                state.withLock { $0.own = version }
            } catch {
                noteAway(error)
            }
        }
    }

    func failed(at now: Duration, _ hear: @escaping @Sendable (Duration) -> Void) {
        let isDue = state.withLock { state in
            if let askedAt = state.askedAt, now < askedAt + lookCounts { return false }
            state.askedAt = now
            return true
        }
        guard isDue else { return }
        _ = Task<Void, Never>.beside { [self] in
            do throws(SharedStoreError) {
                let hint = try await store.read(key)
                if let hint, hint.version != state.withLock(\.own) { hear(lookCounts) }
            } catch {
                noteAway(error)
            }
        }
    }

    private func noteAway(_ error: SharedStoreError) {
        // One that rests has failed before, and said so.
        guard error.code != .away, error.code != .cancelled else { return }
        events(FleetEvent(.breaker, .fellBack, "the circuit '\(name)' goes by what this process sees", cause: error))
    }
}
