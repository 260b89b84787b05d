import CoreNetKitHTTP
import Synchronization

/// What belongs to one call and rides beside its value through the chain: data only, never services.
public struct RequestContext: Sendable {
    /// A number that no other call of this process has.
    public let id: UInt64
    /// Which try of the call this is, counted from 1.
    public var attempt = 1
    /// When the call must have ended, by the clock of its client; `nil` is never.
    public var deadline: Duration?
    /// Values of one's own nodes, each under its own key.
    public var attributes = Attributes()
    /// The record of this call, `nil` when nobody listens.
    public var log: CallLog?
    /// The events of this call, `nil` when nobody listens.
    public var recording: CallRecording?
    /// The response that is being read, for the errors of the nodes that read it.
    package let answer = LastAnswer()
    /// How deep in the record the nodes write.
    package var depth = 0
    /// Which of the parallel requests of an attempt this is: 1 for the hedged one.
    package var branch = 0

    private static let lastID = Atomic<UInt64>(0)

    /// Creates the context of a new call.
    ///
    /// - Parameters:
    ///   - deadline: When the call must have ended, by the clock of its client.
    ///   - log: The record of the call.
    public init(deadline: Duration? = nil, log: CallLog? = nil) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.deadline = deadline
        self.log = log
    }

    /// Adds a line to the record of this call; the message is not even made when nobody listens.
    ///
    /// - Parameters:
    ///   - level: How much it matters.
    ///   - node: Who says it.
    ///   - message: One line, with secrets already left out.
    public func record(_ level: LogLevel, _ node: @autoclosure () -> NodeID, _ message: @autoclosure () -> String) {
        guard let log else { return }
        let node = node()
        guard log.takes(level, from: node) else { return }
        log.add(level, node, message(), depth: depth)
    }

    /// The same call one level deeper in its record.
    package var nested: RequestContext {
        var copy = self
        copy.depth += 1
        return copy
    }
}
