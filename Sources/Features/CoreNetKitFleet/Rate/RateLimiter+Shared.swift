public import CoreNetKitRecovery
public import CoreNetKitSharedStore
import CoreNetKitSystem

extension RateLimiter {
    /// Creates a limiter whose rate several processes share.
    ///
    /// The store counts, by its own clock. Tokens are taken for several requests at once if the rate and the burst
    /// allow it, and a process that has to wait does not ask again earlier. A slow or unavailable store delays no
    /// request longer than its timeout.
    ///
    /// - Parameters:
    ///   - count: How many requests all processes may send together, 1...1 000 000.
    ///   - period: The time for `count` requests, 1 ms to a day.
    ///   - burst: How many requests may start at once after a pause, 1...100 000. With 1 the store is asked for each request.
    ///   - name: Distinguishes this rate from others in the store, the same in each process: the server and its limit,
    ///     such as `api.example.com/search`; not empty.
    ///   - store: Where requests are counted.
    ///   - policy: What happens to requests while the store is unavailable.
    ///   - dryRun: Lets every request pass at once, and only reports those that would have had to wait.
    ///   - events: Called when the store is unavailable and, in a dry run, for requests beyond the rate; must return quickly.
    public convenience init(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int = 1,
        named name: String,
        in store: any SharedStore,
        ifStoreUnavailable policy: StoreFailurePolicy,
        dryRun: Bool = false,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        let settings = SharedRate.Settings(
            name: name,
            count: count,
            period: period,
            burst: burst,
            failurePolicy: policy,
            isDryRun: dryRun
        )
        self.init(sharing: SharedRate(settings, store, events))
    }
}
