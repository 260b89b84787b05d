public import CoreNetKitChain
public import CoreNetKitRecovery
public import CoreNetKitSharedStore

extension CircuitBreaker {
    /// Creates a closed circuit that learns of other processes' open circuits.
    ///
    /// Only a hint is shared. A process whose circuit opens leaves one in the store for the length of its pause.
    /// Another process whose own call fails looks for it, beside the call and at most once in a second, or a tenth of
    /// the pause if that is shorter; with a hint half as many calls are enough to judge, with the same share of
    /// failures. A hint opens no circuit whose calls succeed or that has none, and while the store is away each process
    /// judges alone.
    ///
    /// - Parameters:
    ///   - ratio: The share of failed calls that opens it, above 0 and at most 1.
    ///   - minimumCalls: How many calls are needed to judge, above zero; with a hint half of them, rounded up.
    ///   - window: The time over which calls are counted, above zero.
    ///   - pause: How long it stays open, at least a millisecond.
    ///   - name: Distinguishes this server from others in the store, the same in each process, as `api.example.com`;
    ///     not empty.
    ///   - store: Where hints are stored.
    ///   - counts: Which errors are the server's failure; by default statuses from 500 on and connection failures.
    ///   - events: Told when a hint made the circuit open earlier, and when the store could not be reached; must be
    ///     quick.
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
