public import CoreNetKitHTTP

/// Authorizes each attempt, and repeats one whose token was refused, once, with a new token.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It stands inside of retry, so that each attempt has
/// the token of its time, and outside of the node that turns statuses into errors. A call of the refresh itself passes
/// without a token, and so does one to an origin that is not the token's.
public struct TokenNode<Next: Node>: Node where Next.Input == TransportRequest, Next.Output == TransportResponse {
    private let next: Next
    private let refresher: TokenRefresher
    private let client: Client

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the authorized request.
    ///   - refresher: Who keeps the token.
    ///   - client: Whose clock and time of day count.
    public init(next: Next, refresher: TokenRefresher, client: Client = .shared) {
        self.next = next
        self.refresher = refresher
        self.client = client
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Adds the token's fields and passes the request on, a second time when the token was refused.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `tokenRefreshFailed`, `deadlineExceeded`, or what next throws.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        if let problem = refresher.problem { throw NetworkError(.invalidChain, problem, stage: id) }
        guard !refresher.isRefreshingHere, refresher.authorizes(input.url) else {
            return try await next.process(input, context: context)
        }
        var request = input
        let grant = try await refresher.grant(after: nil, client: client, context: context)
        refresher.authorize(&request, with: grant)
        do {
            return try await next.process(request, context: context)
        } catch let failure as NetworkError where refresher.isRefusal(failure) {
            guard input.body.isReplayable else {
                // This call is over; the next one finds a new token.
                refresher.renew(after: grant, clock: client.clock, date: client.date)
                throw failure
            }
            context.record(.warning, id, "the token was refused: \(failure.code)")
            let renewed = try await refresher.grant(after: grant, client: client, context: context)
            refresher.authorize(&request, with: renewed)
            return try await next.process(request, context: context.nested)
        }
    }
}
