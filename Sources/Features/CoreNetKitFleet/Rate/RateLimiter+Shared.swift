public import CoreNetKitRecovery
public import CoreNetKitSharedStore
import CoreNetKitSystem

extension RateLimiter {
    /// What becomes of a request while the store of a shared rate, of ``IdempotencyRecords`` or of a
    /// ``SharedCacheStorage`` cannot be asked.
    public enum WhenAway: Sendable, Hashable {
        /// Each process sends its part of the rate: all together never more than the rate, as long as there are no more
        /// processes than this. With the number it also takes tokens for 10 ms at once. Records and a cache work within
        /// the process.
        case localShare(of: Int)
        /// Requests pass: for a rate that only keeps costs down. Records and a cache work within the process.
        case open
        /// Requests fail, those of a rate with `rateLimited`, others with `nodeFailed`: for what must hold.
        case closed

        /// What is wrong with it, at the end of a line.
        var problem: String? {
            guard case .localShare(let processes) = self, !(1...10_000).contains(processes) else { return nil }
            return "shared by 1...10 000 processes, not \(processes)"
        }
    }

    /// Creates a limiter whose rate several processes share.
    ///
    /// The store counts, by its own clock. Tokens are taken for several requests at once if the rate and the burst
    /// allow it, and a process that has to wait does not ask again earlier. A slow or unavailable store delays no
    /// request longer than its patience.
    ///
    /// - Parameters:
    ///   - count: How many requests all processes may send together, 1...1 000 000.
    ///   - period: In which time, 1 ms to a day.
    ///   - burst: How many may go at once after a rest, 1...100 000. With 1 the store is asked for each request.
    ///   - name: Distinguishes this rate from others in the store, the same in each process: the server and its limit,
    ///     such as `api.example.com/search`; not empty.
    ///   - store: Where it is counted.
    ///   - whenAway: What becomes of requests while the store cannot be asked.
    ///   - dryRun: Lets every request pass at once, and only reports those that would have had to wait.
    ///   - events: Told when the store could not be asked, and of requests beyond a dry run's rate; must be quick.
    public convenience init(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int = 1,
        named name: String,
        in store: any SharedStore,
        whenAway: WhenAway,
        dryRun: Bool = false,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        let settings = SharedRate.Settings(
            name: name,
            count: count,
            period: period,
            burst: burst,
            whenAway: whenAway,
            isDryRun: dryRun
        )
        self.init(sharing: SharedRate(settings, store, events))
    }
}
