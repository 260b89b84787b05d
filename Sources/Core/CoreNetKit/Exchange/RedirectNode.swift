public import CoreNetKitChain
public import CoreNetKitHTTP

struct RedirectPolicy: ChainPolicy {
    /// The maximum number of redirects of a call.
    let limit: Int
    var decide: RedirectNode.Decide?

    var positions: [ChainPosition] { [RedirectNode.position] }
    // The effect of a custom hook is unknown.
    var scope: PolicyScope { decide == nil ? .none : .unknown }
    var problem: String? { limit < 0 ? "the limit of \(limit) redirects is below zero" : nil }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        limit == 0 ? next : RedirectNode(next: next, limit: limit, decide: decide)
    }
}

extension PolicyHolder {
    /// Sets how many redirects a call follows: 10 by default; 0 makes every redirect a response like any other.
    public func set(redirectLimit: Int) -> Self { with(RedirectPolicy(limit: redirectLimit)) }

    /// Decides about each redirect before it is followed, on the task of the call; forbidden ones are refused earlier.
    ///
    /// The limit is that of ``PolicyHolder/set(redirectLimit:)``.
    public func onRedirect(
        limit: Int = 10,
        _ decide: @escaping @Sendable (TransportResponse.Redirect) -> TransportResponse.Redirect.Decision
    ) -> Self {
        with(RedirectPolicy(limit: limit, decide: decide))
    }
}

/// Follows redirects, the same on every transport.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`; next is called once per hop.
///
/// | status | method | body |
/// |---|---|---|
/// | 301, 302 | POST becomes GET, others stay | dropped with POST, else sent again |
/// | 303 | all but GET and HEAD become GET | dropped |
/// | 307, 308 | stays | sent again |
///
/// Fields that carry credentials are dropped for another origin (scheme, host or port): those with the usual names, and
/// those that a token added. A redirect from https to http is refused. Other statuses, and a 3xx without `Location`,
/// are returned unchanged.
/// - SeeAlso: [RFC 9110, 15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4)
package struct RedirectNode: PolicyNode {
    package static let position = ChainPosition.redirect

    package typealias Decide = @Sendable (TransportResponse.Redirect) -> TransportResponse.Redirect.Decision

    package let next: Exchange
    let limit: Int
    private let decide: Decide?

    package init(next: Exchange, limit: Int = 10, decide: Decide? = nil) {
        self.next = next
        self.limit = limit
        self.decide = decide
    }

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        var request = input
        var response = try await next.process(request, context: context)
        guard limit > 0 else { return response }
        var hops = 0
        while let redirect = Redirect(response, by: context.secrets) {
            hops += 1
            guard hops <= limit else {
                context.note(redirect.event(for: response, refusal: "more than \(limit) redirects"))
                throw failure(.tooManyRedirects, "more than \(limit) redirects, last to \(redirect.shown)", response)
            }
            let target: TransportRequest
            do {
                target = try redirect.applied(to: request, credentials: context.credentialFields)
            } catch {
                context.note(redirect.event(for: response, refusal: error.message))
                throw failure(.redirectRefused, error.message, response)
            }
            let hop = TransportResponse.Redirect(
                status: response.status,
                headers: response.headers,
                request: request,
                next: target,
                number: hops
            )
            switch decide?(hop) ?? .follow {
            case .follow: request = target
            case .modify(let other): request = other
            case .stop:
                context.note(redirect.event(for: response, refusal: "the hook of the chain stopped it"))
                return response
            }
            context.note(redirect.event(for: response))
            // Its content is not read, and the next request may need its connection.
            if case .stream(let stream) = response.body { stream.close() }
            response = try await next.process(request, context: context.nested)
        }
        return response
    }

    private func failure(
        _ code: NetworkError.Code,
        _ message: String,
        _ response: TransportResponse
    ) -> NetworkError {
        NetworkError(code, message, node: id, response: FailedResponse(response))
    }
}
