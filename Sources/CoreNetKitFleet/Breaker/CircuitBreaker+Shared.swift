public import CoreNetKitChain
public import CoreNetKitRecovery
public import CoreNetKitSharedStore

extension CircuitBreaker {
    /// Creates a closed circuit that hears of those of other processes.
    ///
    /// Nothing is shared but a hint. A process that opens leaves one in the store for as long as its pause lasts. Another one
    /// whose own call fails looks for it, beside the call and at most once in a tenth of the pause or in a second; where there is one,
    /// half as many calls are enough to judge, with the same share of failures. A process whose calls succeed never opens by
    /// it, one without calls neither, and while the store is away each judges by itself.
    ///
    /// - Parameters:
    ///   - ratio: The share of failed calls that opens it, above 0 and at most 1.
    ///   - minimumCalls: How many calls it takes to judge, above zero; with a hint half of them, rounded up.
    ///   - window: Over which time calls are counted, above zero.
    ///   - pause: How long it stays open, from a millisecond on.
    ///   - name: What tells this server from others in the store, the same in each process, as in `api.example.com`; not
    ///     empty.
    ///   - store: Where hints are left.
    ///   - counts: Which errors are the server's failure; statuses from 500 on and failures of the wire by default.
    ///   - events: Told when the circuit opened earlier because of a hint, and when the store could not be asked; must be
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
