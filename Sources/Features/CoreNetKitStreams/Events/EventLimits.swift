/// How much of a `text/event-stream` is buffered before the stream fails.
public struct EventLimits: Sendable, Hashable {
    /// The maximum number of bytes of one line, comments included.
    public var line: Int
    /// The maximum number of bytes of one event's data.
    public var event: Int

    /// Creates limits; both are 8 MiB by default.
    public init(line: Int = 8 << 20, event: Int = 8 << 20) {
        self.line = line
        self.event = event
    }
}
