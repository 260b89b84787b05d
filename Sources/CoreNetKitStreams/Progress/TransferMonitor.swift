public import CoreNetKitChain
import CoreNetKitSystem

/// Watches one transfer: set it on a builder, read ``progress`` while the call runs.
///
/// A retry begins anew. One monitor is for one call at a time.
/// ```swift
/// let monitor = TransferMonitor()
/// let chain = builder.progress(in: monitor).download(to: file, resume: .automatic)
/// Task { for await state in monitor.progress { show(state.fraction) } }
/// ```
public final class TransferMonitor: Sendable {
    private struct State: Sendable {
        var progress = TransferProgress()
        var published: Duration?
        /// Bytes at some times of the last seconds, for the rate.
        var samples: [(time: Duration, bytes: Int64)] = []
    }

    private static let interval: Duration = .milliseconds(100)
    private static let window: Duration = .seconds(3)

    private let feed = StateFeed(TransferProgress())
    private let state = Locked(State())
    private let clock: CallClock

    /// Creates a monitor.
    ///
    /// - Parameter clock: The time that the rate and the number of values a second go by.
    public init(clock: CallClock = .continuous) { self.clock = clock }

    /// How far the transfer has come.
    public var current: TransferProgress { state.withLock(\.progress) }

    /// How far the transfer has come, now and from now on; ends with the transfer.
    ///
    /// At most ten values a second and the last one, the newest each time that somebody asks.
    public var progress: AsyncStream<TransferProgress> { feed.values }

    /// Changes what is known, for nodes and transports of one's own.
    ///
    /// - Parameter change: Changes the state; ``TransferProgress/rate`` is computed.
    public func update(_ change: (inout TransferProgress) -> Void) {
        let now = clock.now
        let value = state.withLock { state -> TransferProgress? in
            change(&state.progress)
            state.progress.rate = Self.rate(&state, now)
            let isDue = state.published.map { now - $0 >= Self.interval } ?? true
            guard isDue || state.progress.isFinished else { return nil }
            state.published = now
            return state.progress
        }
        guard let value else { return }
        feed.set(value)
        if value.isFinished { feed.finish() }
    }

    private static func rate(_ state: inout State, _ now: Duration) -> Double {
        let bytes = state.progress.sent + state.progress.received
        // Less than before: another attempt.
        if let last = state.samples.last, bytes < last.bytes { state.samples = [] }
        if state.samples.last.map({ now - $0.time >= Self.interval }) ?? true { state.samples.append((now, bytes)) }
        while state.samples.count > 2, now - state.samples[0].time > Self.window { state.samples.removeFirst() }
        guard let first = state.samples.first, now > first.time else { return state.progress.rate }
        return Double(bytes - first.bytes) / ((now - first.time) / .seconds(1))
    }
}
