/// The position of a call in a distributed trace.
///
/// - SeeAlso: [Trace Context](https://www.w3.org/TR/trace-context-2/)
public struct TraceContext: Sendable, Hashable {
    /// The position of the running code, for calls that begin in it; set it for your own spans.
    @TaskLocal public static var current: TraceContext?

    /// The 16 bytes of the trace's id, as two numbers, the more significant one first.
    public var traceID: (high: UInt64, low: UInt64) {
        get { (high, low) }
        set { (high, low) = newValue }
    }
    /// The id of the parent span.
    public var parentID: UInt64
    /// Whether the trace is recorded.
    public var isSampled: Bool
    /// Whether the right-most 7 bytes of the trace's id are random, so that samplers may use them.
    ///
    /// - SeeAlso: [Trace Context, level 2](https://www.w3.org/TR/trace-context-2/#random-trace-id-flag)
    public var isRandom = false
    /// The vendors' list, passed on unchanged.
    public var state: String?
    private var high: UInt64
    private var low: UInt64

    /// Creates a position; an id of the trace with both parts 0 is not valid, and a parent of 0 begins the trace here.
    public init(
        traceID: (high: UInt64, low: UInt64),
        parentID: UInt64,
        isSampled: Bool = true,
        state: String? = nil
    ) {
        (high, low) = traceID
        self.parentID = parentID
        self.isSampled = isSampled
        self.state = state
    }
}
