public import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Authorizes each attempt, and repeats an attempt whose token was rejected once, with a new token.
///
/// It is inside retry, so that each attempt has the current token, and outside the node that turns statuses into errors. Calls of
/// the refresh itself, and calls to other origins, pass without a token.
package struct TokenNode: PolicyNode {
    package static let position = ChainPosition.token

    package let next: Exchange
    private let refresher: TokenRefresher
    private let date: @Sendable () -> Date

    package init(next: Exchange, refresher: TokenRefresher, parts: ChainParts) {
        (self.next, self.refresher) = (next, refresher)
        date = parts.date
    }

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard !refresher.isRefreshingHere, refresher.authorizes(input.url) else {
            return try await next.process(input, context: context)
        }
        var (request, context) = (input, context)
        let grant = try await authorize(&request, &context, after: nil)
        do {
            return try await next.process(request, context: context)
        } catch let failure as NetworkError where refresher.isRefusal(failure) {
            guard input.body.isReplayable else {
                // This call fails, but the next one finds a new token.
                refresher.renew(after: grant, clock: context.clock, now: date)
                throw failure
            }
            context.record(.warning, id, "the token was rejected: \(failure.code)")
            // A new token may use other field names.
            let renewed = try await authorize(&request, &context, after: grant)
            return try await again(request, context, after: renewed)
        }
    }

    /// Sends with a new token, and once more if that token came from another process and is rejected, too.
    private func again(
        _ request: TransportRequest,
        _ context: RequestContext,
        after grant: TokenGrant
    ) async throws -> TransportResponse {
        guard refresher.sharing != nil else { return try await next.process(request, context: context.nested) }
        do {
            return try await next.process(request, context: context.nested)
        } catch let failure as NetworkError where refresher.isRefusal(failure) {
            var (request, context) = (request, context)
            context.record(.warning, id, "the token that another process obtained was rejected: \(failure.code)")
            _ = try await authorize(&request, &context, after: grant)
            return try await next.process(request, context: context.nested)
        }
    }

    private func authorize(
        _ request: inout TransportRequest,
        _ context: inout RequestContext,
        after rejected: TokenGrant?
    ) async throws -> TokenGrant {
        let (grant, fields) = try await grant(after: rejected, context)
        request.headers.merge(fields.headers)
        let known = context.credentialFields
        context.credentialFields = known.isEmpty ? fields.names : known + fields.names
        return grant
    }

    /// A token of the session in which the call began: a token of another one is neither used nor requested.
    private func grant(
        after rejected: TokenGrant?,
        _ context: RequestContext
    ) async throws -> (TokenGrant, fields: (headers: Headers, names: [String])) {
        if rejected == nil, let ready = refresher.ready(date) {
            try context.user.requireUnchanged(ready.session, of: refresher, at: id)
            return (ready.grant, ready.fields ?? refresher.fields(of: ready.grant))
        }
        try context.user.requireUnchanged(at: id)
        do {
            let grant = try await refresher.grant(after: rejected, clock: context.clock, now: date, context: context)
            try context.user.requireUnchanged(at: id)
            return (grant, refresher.fields(of: grant))
        } catch {
            // A logout also ends waiting calls: they fail because of the logout, not because of a missing token.
            if !(error is CancellationError) { try context.user.requireUnchanged(at: id) }
            throw error
        }
    }
}

extension TokenRefresher: BuiltInPolicy, PartitionProvider, SessionDataOwner {
    package var nodePositions: [ChainPosition] { [TokenNode.position] }
    /// Responses depend on the user of the token.
    package var callScope: PolicyScope { .object(ObjectIdentifier(self)) }

    /// The user of the token.
    public var partitionProvider: (any PartitionProvider)? { self }

    /// The refresher itself, because it keeps tokens.
    public var keeper: (any SessionDataOwner)? { self }

    /// Tokens.
    public var kind: SignOut.Kind { .tokens }

    /// Waits until no token of the session is being renewed or saved; after that, saved data may be deleted.
    public func removeData(of session: Partition.Session) async { await idle() }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        TokenNode(next: next, refresher: self, parts: parts)
    }
}

extension PolicyHolder {
    /// Authorizes each attempt with a token, and renews it when it was rejected.
    public func authorize(_ refresher: TokenRefresher) -> Self { with(refresher) }
}
