import CoreNetKitSystem

/// The spans of an exporter: a plain value, changed under its lock.
///
/// Spans leave in order of arrival, so that one number tells which of them are done.
struct OTLPQueue {
    typealias Counts = OTLPExporter.Counts

    /// A caller that waits until the earlier spans are sent or lost.
    struct Flush {
        /// The number of spans that had arrived by then.
        let mark: Int
        /// When the wait ends in any case.
        let end: Duration
        /// Gets the number of those that were lost.
        let waiter: Waiter<Int>
        var lost = 0

        func resume() { waiter.resume(.success(lost)) }
    }

    var spans: [[UInt8]] = []
    var counts = Counts()
    var isRunning = false
    var wakeUp: Task<Void, any Error>?
    var run: Task<Void, Never>?
    var isShutDown = false
    var isDown = false
    private(set) var flushes: [Waiter<Int>: Flush] = [:]
    /// How many spans have arrived, are done, and are in flight.
    private var entered = 0
    private var settled = 0
    private var underway = 0

    /// Adds spans as far as there is room.
    mutating func add(_ texts: [[UInt8]], limit: Int) {
        let room = isShutDown ? 0 : min(max(limit - counts.waiting, 0), texts.count)
        spans += texts.prefix(room)
        entered += room
        counts.waiting += room
        counts.dropped += texts.count - room
    }

    /// The next message; `nil` ends the sending.
    mutating func take(_ limit: Int) -> [[UInt8]]? {
        wakeUp = nil
        guard !spans.isEmpty else {
            isRunning = false
            return nil
        }
        let batch = Array(spans.prefix(limit))
        spans.removeFirst(batch.count)
        underway = batch.count
        return batch
    }

    /// A message is done; returns the waits that have ended, to be resumed outside the lock.
    mutating func complete(_ count: Int, sent: Int, rejected: Int) -> [Flush] {
        // Abandoned spans are counted already.
        guard !isShutDown else { return [] }
        counts.sent += sent
        counts.rejected += rejected
        counts.dropped += count - sent - rejected
        counts.waiting -= count
        let lost = count - sent
        for (waiter, flush) in flushes {
            flushes[waiter]?.lost += min(lost, max(min(flush.mark - settled, count), 0))
        }
        settled += count
        underway = 0
        return flushes.filter { $0.value.mark <= settled }.keys.compactMap { leave($0) }
    }

    /// Whether a caller still waits for the end of the spans at this time.
    func isAwaited(at time: Duration) -> Bool { flushes.values.contains { time < $0.end } }

    /// Begins a wait; `false` if there is nothing to wait for.
    mutating func await(until end: Duration, _ waiter: Waiter<Int>) -> Bool {
        guard settled < entered else { return false }
        flushes[waiter] = Flush(mark: entered, end: end, waiter: waiter)
        wakeUp?.cancel()
        return true
    }

    /// Ends a wait; for its caller, unfinished spans count as lost.
    mutating func leave(_ waiter: Waiter<Int>) -> Flush? {
        guard var flush = flushes.removeValue(forKey: waiter) else { return nil }
        flush.lost += max(flush.mark - settled, 0)
        return flush
    }

    /// Drops all spans that are not done.
    mutating func giveUp() -> [Flush] {
        guard !isShutDown else { return [] }
        isShutDown = true
        counts.dropped += spans.count + underway
        counts.waiting -= spans.count + underway
        let waiting = flushes.keys.compactMap { leave($0) }
        spans = []
        run?.cancel()
        wakeUp?.cancel()
        return waiting
    }
}
