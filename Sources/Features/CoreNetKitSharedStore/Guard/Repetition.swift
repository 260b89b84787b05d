package import CoreNetKitChain
import CoreNetKitSystem

extension CallClock {
    /// Repeats work beside its caller until it is done or the time is over: after 100 ms, then after longer pauses, at
    /// most 5 s.
    ///
    /// - Parameters:
    ///   - end: When it is over, by this clock.
    ///   - work: Returns whether nothing is left to do.
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
    /// Releases a lease, also for a cancelled task, and later if the store cannot be asked now: until then every other
    /// process waits for a holder that has finished.
    ///
    /// - Parameters:
    ///   - lease: The lease.
    ///   - end: When it ends by itself.
    ///   - clock: The clock of the end.
    package func giveBack(_ lease: SharedLease, before end: Duration, on clock: CallClock) async {
        let isReleased = await Task.beside { (try? await self.release(lease)) != nil }.value
        if !isReleased { clock.repeating(until: end) { (try? await self.release(lease)) != nil } }
    }
}
