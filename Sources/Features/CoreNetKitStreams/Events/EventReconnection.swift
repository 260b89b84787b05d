import CoreNetKitHTTP
import CoreNetKitSystem

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

    /// Whether a request of the method is sent again.
    func allows(_ method: HTTPMethod) -> Bool { isAllowed && (isForAnyMethod || method == .get) }

    /// The wait before the next connection.
    ///
    /// - Parameters:
    ///   - failures: How many consecutive connections failed, or had neither event nor comment.
    ///   - retry: The wait that the stream asked for.
    ///   - retryAfter: The wait that the failed response asked for.
    ///   - random: A number in 0..<1.
    /// - Returns: At least what the server asked for; beyond that, spread evenly up to a limit that doubles.
    package func wait(failures: Int, retry: Duration?, retryAfter: Duration?, random: Double) -> Duration {
        let base = max(retry ?? initial, floor)
        let limit = base.doubled(min(failures, 16), upTo: max(cap, base))
        let lowest = max(retry ?? floor, floor)
        let spread = max(.zero, limit - lowest) * random
        return max(lowest + spread, retryAfter ?? .zero)
    }
}
