public import CoreNetKitChain
import CoreNetKitSystem

/// Watches one transfer: set it on a builder, read ``progress`` while the call runs.
///
/// Each retry and each call starts from zero, even a call that resumes a cancelled one. Use a monitor for one call at a
/// time.
/// ```swift
/// let monitor = TransferMonitor()
/// let chain = builder.progress(in: monitor).download(to: file, resume: .automatic)
/// let states = monitor.progress
/// Task { for await state in states { show(state.fraction) } }
/// ```
public final class TransferMonitor: Sendable {
    private struct State: Sendable {
        var progress = TransferProgress()
        /// Reports the running call or, after one that did not succeed, the next one.
        var feed = StateFeed(TransferProgress())
        /// Byte counts of the last seconds, for the rate.
        var samples: [(time: Duration, bytes: Int64)] = []
    }

    fileprivate static let interval: Duration = .milliseconds(100)
    private static let window: Duration = .seconds(3)

    private let state = Locked(State())
    private let clock: CallClock

    /// Creates a monitor; the clock is for the rate and the number of values per second.
    public init(clock: CallClock = .continuous) { self.clock = clock }

    /// The current progress of the transfer.
    public var current: TransferProgress { state.withLock(\.progress) }

    /// The current and future progress of the transfer; ends with the call, however that ends.
    ///
    /// Taken before the call begins, it ends with that call. It delivers at most ten values a second plus the last one, always
    /// the newest. Taken after a call that failed or was cancelled, it starts with the last value of that call, and continues
    /// with the next call.
    public var progress: Updates { Updates(values: state.withLock(\.feed).values, clock: clock) }

    /// The progress of a transfer, throttled for display.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let values: AsyncStream<TransferProgress>
        fileprivate let clock: CallClock

        /// Starts with the current progress.
        public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator(), clock: clock) }

        /// Waits for changes.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var values: AsyncStream<TransferProgress>.Iterator
            fileprivate let clock: CallClock
            fileprivate var last: Duration?

            /// Waits for a newer value, for at least a tenth of a second; `nil` after the last one, or when cancelled.
            public mutating func next() async -> TransferProgress? {
                // The wait comes first, so that the value taken after it is the newest, even if nothing follows.
                if let last {
                    do { try await clock.sleep(until: last + TransferMonitor.interval) } catch { return nil }
                }
                let value = await values.next()
                last = clock.now
                return value
            }
        }
    }

    /// A call begins: the state of the previous one is discarded.
    package func begin() {
        let feed = state.withLock { state in
            if state.feed.isDone { state.feed = StateFeed(TransferProgress()) }
            (state.progress, state.samples) = (TransferProgress(), [])
            return state.feed
        }
        feed.set(TransferProgress())
    }

    /// A call ends; after a failure the progress may continue with the next call.
    package func end(succeeded: Bool) {
        update { $0.isFinished = true }
        guard !succeeded else { return }
        state.withLock { state in if state.feed.isDone { state.feed = StateFeed(state.progress) } }
    }

    /// Changes the progress; ``TransferProgress/rate`` is computed.
    package func update(_ change: (inout TransferProgress) -> Void) {
        let now = clock.now
        let (value, feed) = state.withLock { state in
            change(&state.progress)
            state.progress.rate = Self.rate(&state, now)
            return (state.progress, state.feed)
        }
        feed.set(value)
        if value.isFinished { feed.finish() }
    }

    private static func rate(_ state: inout State, _ now: Duration) -> Double {
        let bytes = state.progress.sent + state.progress.received
        // Fewer bytes than before: another attempt.
        if let last = state.samples.last, bytes < last.bytes { state.samples = [] }
        if state.samples.last.map({ now - $0.time >= Self.interval }) ?? true { state.samples.append((now, bytes)) }
        while state.samples.count > 2, now - state.samples[0].time > Self.window { state.samples.removeFirst() }
        guard let first = state.samples.first, now > first.time else { return state.progress.rate }
        return Double(bytes - first.bytes) / ((now - first.time) / .seconds(1))
    }
}

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's content that the system has accepted.
    public var sent: Int64 = 0
    /// The size of the request's content; `nil` if unknown.
    public var sentTotal: Int64?
    /// Received bytes of the response's content; of a resumed download including those that were already there.
    public var received: Int64 = 0
    /// The size of the response's content; `nil` if unknown.
    public var receivedTotal: Int64?
    /// Bytes a second in both directions over the last few seconds.
    public var rate: Double = 0
    /// Whether the transfer has ended.
    public var isFinished = false

    package init() {}

    /// The completed fraction, 0...1; of the response if its size is known, otherwise of the request; `nil` if neither is known.
    ///
    /// If both are large it goes from 0 to 1 twice: use ``sentFraction`` for an upload.
    public var fraction: Double? {
        if let receivedTotal, receivedTotal > 0, received > 0 {
            return min(1, Double(received) / Double(receivedTotal))
        }
        if let sentTotal, sentTotal > 0 { return min(1, Double(sent) / Double(sentTotal)) }
        return receivedTotal.map { $0 == 0 ? 1 : 0 }
    }

    /// The completed fraction of the request, 0...1; `nil` if its size is unknown, 1 if it has no content.
    public var sentFraction: Double? { sentTotal.map { $0 > 0 ? min(1, Double(sent) / Double($0)) : 1 } }
}
