/// How a response of elements is read.
public struct ElementOptions: Sendable, Hashable {
    /// The maximum number of bytes of one element, and of the text around an array.
    public var limit = 8 << 20
    /// The longest silence.
    public var idle: Duration? = .seconds(300)

    /// Creates the options: 8 MiB, 300 s.
    public init(limit: Int = 8 << 20, idle: Duration? = .seconds(300)) {
        (self.limit, self.idle) = (max(1, limit), idle)
    }
}
