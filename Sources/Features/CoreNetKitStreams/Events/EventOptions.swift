public import CoreNetKitHTTP
import CoreNetKitSystem

/// How a stream of events is requested.
public struct EventOptions: Sendable {
    /// The id to resume from; empty for none.
    public var lastEventID = ""
    /// The longest silence; comments and pings count as activity.
    public var idle: Duration? = .seconds(300)
    /// How much is buffered.
    public var limits = EventLimits()
    /// Sends the position to resume from in another way than the field `Last-Event-ID`: gets the request and the last id,
    /// which is not empty.
    public var resume: (@Sendable (inout TransportRequest, String) throws -> Void)?

    /// Creates the options that the standard describes.
    public init() {}

    func request(after id: String) -> StreamRequest {
        let resume = resume
        return StreamRequest(idle: idle, fields: ["Cache-Control": "no-cache"]) { request in
            guard !id.isEmpty else { return }
            if let resume { return try resume(&request, id) }
            // An id may be any text; one that is no valid field value is not sent, which is no reason to fail.
            if FieldCheck.isValue(id) { request.headers["Last-Event-ID"] = id }
        }
    }
}

/// How much of a `text/event-stream` is buffered before the stream fails.
public struct EventLimits: Sendable, Hashable {
    /// The maximum number of bytes of one line, comments included.
    public var line: Int
    /// The maximum number of bytes of one event's data.
    public var event: Int

    /// Creates limits; both are 8 MiB by default.
    public init(line: Int = 8 << 20, event: Int = 8 << 20) { (self.line, self.event) = (line, event) }
}

/// When and how a stream of events reconnects.
///
/// A new connection is a new call of the chain, with the last id: retry, tokens and redirects apply each time. Temporary
/// failures (a lost connection, 408, 429, 5xx) and the end of a response are followed by a wait; all else ends the stream.
public struct EventReconnection: Sendable, Hashable {
    /// Whether requests other than GET without content are sent again: the server may charge for each response.
    public var isForAnyMethod = false
    /// The first wait, until the server asks for another.
    public var initial: Duration = .seconds(1)
    /// The shortest wait.
    public var floor: Duration = .milliseconds(100)
    /// The longest wait, unless the server asks for more.
    public var cap: Duration = .seconds(30)
    /// A connection that was open for this long resets the count of failures, with or without events and comments.
    public var reset: Duration = .seconds(60)
    /// How many consecutive connections may end without an event or a comment.
    public var emptyLimit = 10
    let isAllowed: Bool

    private init(isAllowed: Bool) { self.isAllowed = isAllowed }

    /// Never: the end of the response is the end of the stream.
    public static let never = EventReconnection(isAllowed: false)

    /// For GET: at the end of the response, when it breaks, and after a temporary failure to reconnect.
    public static let standard = EventReconnection(isAllowed: true)

    func allows(_ method: HTTPMethod) -> Bool { isAllowed && (isForAnyMethod || method == .get) }

    /// The wait before the next connection: at least what the server asked for, then spread evenly up to a doubling limit.
    ///
    /// `failures` counts consecutive connections that failed, or had neither event nor comment; `random` is in 0..<1.
    package func wait(failures: Int, retry: Duration?, retryAfter: Duration?, random: Double) -> Duration {
        let base = max(retry ?? initial, floor)
        let limit = base.doubled(min(failures, 16), upTo: max(cap, base))
        let lowest = max(retry ?? floor, floor)
        let spread = max(.zero, limit - lowest) * random
        return max(lowest + spread, retryAfter ?? .zero)
    }
}
