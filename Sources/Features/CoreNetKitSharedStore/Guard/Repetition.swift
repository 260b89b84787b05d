package import CoreNetKitChain
import CoreNetKitSystem

extension CallClock {
    /// Repeats background work until it is done or the time is over: after 100 ms, then after longer pauses up to 5 s.
    ///
    /// - Parameters:
    ///   - end: When to stop, by this clock.
    ///   - work: Returns whether it is done.
    package func repeating(until end: Duration, _ work: @escaping @Sendable () async -> Bool) {
        Task.apart {
            var pause = Duration.milliseconds(100)
            while now + pause < end {
                guard (try? await sleep(until: time(after: pause))) != nil else { return }
                if await work() { return }
                pause = min(pause * 2, .seconds(5))
            }
        }
    }
}

extension SharedStore {
    /// Releases a lease, even in a cancelled task, and retries later if the store is unavailable: until then every other
    /// process waits for a holder that has finished.
    ///
    /// - Parameters:
    ///   - lease: The lease.
    ///   - end: When the lease expires.
    ///   - clock: The clock of `end`.
    package func releaseReliably(_ lease: SharedLease, before end: Duration, on clock: CallClock) async {
        let isReleased = await Task.beside { (try? await self.release(lease)) != nil }.value
        if !isReleased { clock.repeating(until: end) { (try? await self.release(lease)) != nil } }
    }
}
