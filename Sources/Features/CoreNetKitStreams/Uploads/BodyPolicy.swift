import CoreNetKitChain
public import CoreNetKit
public import CoreNetKitHTTP

/// Gives the requests of a chain a body that is not a model.
struct BodyPolicy: ChainPolicy {
    let body: RequestBody
    let type: String

    var positions: [ChainPosition] { [.inside(of: .headers, "body")] }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("BodyNode", successors: [next]) { request, context in
            var (request, context) = (request, context)
            request.body = body
            request.headers["Content-Type"] = type
            if context.hasTooShortDeadline(for: request) { context.removeStandardDeadline() }
            return try await next.process(request, context: context)
        }
    }
}

extension UrlChainsBuilder {
    /// Sends bytes, a file or a stream as they are, with chains that send no model.
    ///
    /// A body that can be read only once is not sent again, neither by retry nor by a redirect with status 307.
    /// - Parameters:
    ///   - body: The content, such as `.file(url)`.
    ///   - type: The media type.
    /// - Returns: A changed copy.
    public func set(body: RequestBody, type: String = "application/octet-stream") -> Self {
        with(BodyPolicy(body: body, type: type))
    }
}
