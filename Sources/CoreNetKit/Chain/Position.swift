public import CoreNetKitHTTP

/// A place in the default chain where nodes of one's own go, with the types that pass through it.
public struct Position<Input: Sendable, Output: Sendable>: Sendable {
    let path: any WritableKeyPath<Insertions, [Insertion<Input, Output>]> & Sendable
}

/// Makes a node in front of another.
typealias Insertion<Input: Sendable, Output: Sendable> = @Sendable (any Node<Input, Output>) -> any Node<Input, Output>

/// The nodes of one's own, by position; at each the one inserted first sees the request first.
struct Insertions: Sendable {
    var aroundCall: [Insertion<TransportRequest, TransportResponse>] = []
    var aroundAttempt: [Insertion<TransportRequest, TransportResponse>] = []
    var aroundExchange: [Insertion<TransportRequest, TransportResponse>] = []

    var isEmpty: Bool { aroundCall.isEmpty && aroundAttempt.isEmpty && aroundExchange.isEmpty }
}

extension Position where Input == TransportRequest, Output == TransportResponse {
    /// Once for each call, outside of retry and token refresh: sees the accepted response or the final error.
    public static var aroundCall: Self { Self(path: \.aroundCall) }

    /// Once for each attempt, inside of retry and token refresh, outside of redirects: sees any status.
    public static var aroundAttempt: Self { Self(path: \.aroundAttempt) }

    /// Once for each exchange on the wire, inside of redirects: sees each hop.
    public static var aroundExchange: Self { Self(path: \.aroundExchange) }
}
