public import CoreNetKitChain
public import CoreNetKitRecovery
public import CoreNetKitSharedStore

extension CircuitBreaker {
    /// Creates a closed circuit that also reacts to open circuits of other processes.
    ///
    /// Only a hint is shared. A process whose circuit opens stores a hint for the length of its pause. Another process looks
    /// for it when a call of its own fails, without delaying the call and at most once a second, or once per tenth of the
    /// pause if that is shorter. With a hint, half as many calls are enough to judge, at the same failure ratio. A hint
    /// never opens a circuit whose calls succeed or that has no calls. While the store is unavailable, each process judges
    /// alone.
    ///
    /// - Parameters:
    ///   - ratio: The share of failed calls that opens the circuit, above 0 and at most 1.
    ///   - minimumCalls: How many calls are needed to judge, above zero; with a hint half of them, rounded up.
    ///   - window: The time over which calls are counted, above zero.
    ///   - pause: How long the circuit stays open, at least a millisecond.
    ///   - name: Distinguishes this server from others in the store, such as `api.example.com`; the same in each process,
    ///     not empty.
    ///   - store: Where hints are stored.
    ///   - counts: Which errors count as failures of the server; by default statuses from 500 on and connection failures.
    ///   - events: Called when a hint made the circuit open earlier, and when the store is unreachable; must return quickly.
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
