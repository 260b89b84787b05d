/// The position of a policy in a chain.
///
/// ``all`` is the only definition of the order, from the caller to the wire. A request passes the positions from the
/// first to the last, its response from the last to the first.
public struct ChainPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name in logs, documents and diagrams.
    public let name: String
    /// What happens there, on one line.
    public let summary: String
    private let rank: Int
    private let side: Int
    /// Whether policies accumulate here; elsewhere a later one replaces an earlier one.
    package let adds: Bool

    private init(_ rank: Int, _ name: String, _ summary: String, side: Int = 0, adds: Bool = false) {
        (self.rank, self.side, self.name, self.summary, self.adds) = (rank, side, name, summary, adds)
    }

    /// The order, from the caller to the wire.
    public static let all: [ChainPosition] = [
        pace, outbox, headers, content, idempotencyKey, call, cache, coalescing, breaker, limit, retry, token, hedge,
        endpoint, rate, status, resume, attempt, redirect, cookies, store, trace, exchange,
    ]

    /// Of a burst, the last or first call proceeds; the others end as cancelled.
    public static let pace = ChainPosition(1, "pace", "the last or the first call of a burst")
    /// The request is stored before the call returns, and delivered later.
    public static let outbox = ChainPosition(2, "outbox", "request → receipt, stored before it is sent")
    /// Providers add header fields; several accumulate.
    public static let headers = ChainPosition(3, "headers", "fields of providers", adds: true)
    /// The content is compressed or digested, once for all attempts; a signature belongs inside ``exchange``, because it
    /// covers fields that are added later, and may expire.
    public static let content = ChainPosition(4, "content", "compressed or digested content")
    /// One key for all attempts of a call.
    public static let idempotencyKey = ChainPosition(5, "idempotencyKey", "one key for all attempts")
    /// Your own nodes, once per call; several accumulate.
    public static let call = ChainPosition(6, "call", "your own nodes, once for each call", adds: true)
    /// Stored responses are used instead of the network.
    public static let cache = ChainPosition(7, "cache", "a stored response instead of the network")
    /// Equal requests in flight share one exchange.
    public static let coalescing = ChainPosition(8, "coalescing", "one exchange for equal requests in flight")
    /// A failing server gets no requests for a while.
    public static let breaker = ChainPosition(9, "breaker", "nothing is sent to a failing server")
    /// The number of concurrent calls is limited.
    public static let limit = ChainPosition(10, "limit", "a limit of concurrent calls")
    /// Failed attempts are repeated.
    public static let retry = ChainPosition(11, "retry", "another attempt where that is safe")
    /// Each attempt is authorized, and authorized again when the token was rejected.
    public static let token = ChainPosition(12, "token", "a token for each attempt")
    /// A second request is sent when the first is slow.
    public static let hedge = ChainPosition(13, "hedge", "a second request when the first is slow")
    /// One of several servers is chosen, another one for each attempt and each hedged request.
    public static let endpoint = ChainPosition(14, "endpoint", "one of several servers")
    /// The number of requests per interval is limited.
    public static let rate = ChainPosition(15, "rate", "a limit of requests per interval")
    /// Only success statuses pass; all others are errors.
    public static let status = ChainPosition(16, "status", "response → response of status 200...299, or an error")
    /// A download continues where an earlier attempt stopped.
    public static let resume = ChainPosition(17, "resume", "the rest of a download")
    /// Your own nodes, once per attempt; several accumulate.
    public static let attempt = ChainPosition(18, "attempt", "your own nodes, once for each attempt", adds: true)
    /// Redirects are followed.
    public static let redirect = ChainPosition(19, "redirect", "another exchange for each redirect")
    /// Cookies are added and stored, for each hop.
    public static let cookies = ChainPosition(20, "cookies", "cookies of the jar, for each hop")
    /// Stored responses are validated, new ones stored, for each hop.
    public static let store = ChainPosition(21, "store", "conditions of stored responses, and new entries")
    /// The trace context is propagated, for each exchange.
    public static let trace = ChainPosition(22, "trace", "the context of a trace")
    /// Your own nodes, once per exchange on the wire; several accumulate.
    ///
    /// A signature covers what these nodes add, so its position is `.inside(of: .exchange, "signature")`.
    public static let exchange = ChainPosition(
        23,
        "exchange",
        "your own nodes, once for each exchange on the wire",
        adds: true
    )

    /// A custom position directly outside another one; policies accumulate there, ordered by their names.
    public static func outside(of position: ChainPosition, _ name: String) -> ChainPosition {
        ChainPosition(position.rank, name, "outside of \(position)", side: -1, adds: true)
    }

    /// A custom position directly inside another one; policies accumulate there, ordered by their names.
    public static func inside(of position: ChainPosition, _ name: String) -> ChainPosition {
        ChainPosition(position.rank, name, "inside of \(position)", side: 1, adds: true)
    }

    /// A position inside all other custom positions at another one, whatever their names: no inner node can add back what
    /// is removed there.
    package static func innermost(of position: ChainPosition, _ name: String) -> ChainPosition {
        ChainPosition(position.rank, name, "innermost of \(position)", side: 2, adds: true)
    }

    /// Whether the left one is outside the right one.
    public static func < (left: ChainPosition, right: ChainPosition) -> Bool {
        (left.rank, left.side, left.name) < (right.rank, right.side, right.name)
    }

    /// Whether both are the same position.
    public static func == (left: ChainPosition, right: ChainPosition) -> Bool {
        left.rank == right.rank && left.side == right.side && (left.side == 0 || left.name == right.name)
    }

    /// Hashes the position.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        hasher.combine(side)
    }

    /// The name.
    public var description: String { name }
}

package protocol PositionedNode: Node {
    /// Its position; `nil` if it may be anywhere.
    var position: ChainPosition? { get }
}

/// A node of a built-in policy: identified by its position, wherever it is placed.
package protocol PolicyNode: ChainStep, PositionedNode {
    static var position: ChainPosition { get }
}

extension PolicyNode {
    package var position: ChainPosition? { Self.position }
}

extension ChainPosition {
    /// Positions whose nodes multiply attempts when nested.
    private static let single: Set<ChainPosition> = [.retry, .hedge]

    /// The policies that are nested in another order than ``all``, one line each.
    static func problems(below head: any Node) -> [String] { problems(of: head, inside: nil) }

    private static func problems(
        of node: any Node,
        inside outer: (name: NodeID, position: ChainPosition)?
    ) -> [String] {
        guard let position = (node as? any PositionedNode)?.position else {
            return node.successors.flatMap { problems(of: $0, inside: outer) }
        }
        let name = node.id
        var found: [String] = []
        if let outer {
            if position == outer.position, single.contains(position) {
                found.append("\(name) is inside another \(name): their repetitions multiply")
            } else if position < outer.position {
                found.append("\(name) is inside \(outer.name): put it outside")
            }
        }
        return found + node.successors.flatMap { problems(of: $0, inside: (name, position)) }
    }
}
