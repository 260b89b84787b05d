import CoreNetKitHTTP
import CoreNetKitSystem

/// The record of one call while it runs: nodes add lines, the end turns it into a ``CallStory``.
public final class CallLog: Sendable {
    private let lines = Locked<[CallStory.Line]>([])
    private let configuration: LogConfiguration
    private let clock: CallClock
    private let start: Duration

    package init(_ configuration: LogConfiguration, clock: CallClock) {
        self.configuration = configuration
        self.clock = clock
        start = clock.now
    }

    func takes(_ level: LogLevel, from node: NodeID) -> Bool {
        level >= configuration.level && !configuration.excluded.contains(node)
    }

    func add(_ level: LogLevel, _ node: NodeID, _ message: String, depth: Int) {
        let line = CallStory.Line(
            node: node,
            level: level,
            message: message.oneLine,
            time: clock.now - start,
            depth: depth
        )
        lines.withLock { $0.append(line) }
    }

    /// Hands the story to the sink, where the configuration wants it.
    func finish(call: UInt64, _ outcome: CallStory.Outcome) {
        if configuration.isOnlyForFailures, case .completed = outcome { return }
        let story = CallStory(call: call, outcome: outcome, duration: clock.now - start, lines: lines.withLock { $0 })
        configuration.sink.write(story)
    }
}
