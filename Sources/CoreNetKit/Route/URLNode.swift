#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitHTTP

/// Asks the route for its URL and adds the builder's query after the route's own.
///
/// in: `RoutedRequest<Route, Payload>`, to next: `LocatedRequest<Payload>`, out: what next gives.
public struct URLNode<Route: UrlRouteProvider & Sendable, Payload: Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<LocatedRequest<Payload>, Output>
    private let query: Result<String, NetworkError>

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the located request.
    ///   - query: Escaped items joined by `&`, added after the route's own query.
    public init(next: any Node<LocatedRequest<Payload>, Output>, query: String = "") {
        self.init(next: next, query: .success(query))
    }

    init(next: any Node<LocatedRequest<Payload>, Output>, query: Result<String, NetworkError>) {
        self.next = next
        self.query = query
    }

    /// Resolves the route and passes the request on.
    ///
    /// - Parameters:
    ///   - input: The routed request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `invalidURL` when the route gives no absolute http or https URL.
    public func process(_ input: RoutedRequest<Route, Payload>, context: RequestContext) async throws -> Output {
        let url = try input.route.located(adding: query, context)
        let located = LocatedRequest(
            method: input.method,
            url: url,
            metadata: input.metadata,
            payload: input.payload
        )
        return try await next.process(located, context: context)
    }
}

extension UrlRouteProvider {
    /// The route's URL with the builder's query behind its own.
    func located(adding query: Result<String, NetworkError>, _ context: RequestContext) throws -> URL {
        do {
            var url = try url().requiringHTTP()
            switch query {
            case .success(let text) where text.isEmpty: break
            case .success(let text): url = try url.appending(query: text)
            case .failure(let error): throw error
            }
            context.record(.debug, "URLNode", Redaction.url(url))
            return url
        } catch {
            throw NetworkError.wrapping(error, stage: "URLNode", code: .invalidURL) ?? error
        }
    }
}

extension URL {
    /// The URL itself, when a transport can be asked for it.
    func requiringHTTP() throws -> URL {
        if isPlainHTTP { return self }
        guard let scheme, ["http", "https"].contains(scheme.lowercased()) else {
            throw NetworkError(
                .invalidURL,
                "'\(Redaction.url(self))' is no absolute http or https URL",
                stage: "URLNode"
            )
        }
        guard let host = host(percentEncoded: true), !host.isEmpty else {
            throw NetworkError(.invalidURL, "'\(Redaction.url(self))' has no host", stage: "URLNode")
        }
        return self
    }

    /// Whether the text shows scheme and host at first sight, without user and password: what nearly all URLs do.
    private var isPlainHTTP: Bool {
        var text = absoluteString
        return text.withUTF8 { bytes in
            guard bytes.starts(with: "http".utf8) else { return false }
            let isSecure = bytes.count > 4 && bytes[4] == UInt8(ascii: "s")
            let start = isSecure ? 8 : 7
            guard bytes.count > start, bytes[(start - 3)...].starts(with: "://".utf8) else { return false }
            var index = start
            while index < bytes.count, bytes[index] != UInt8(ascii: "/"), bytes[index] != UInt8(ascii: "?") {
                let byte = bytes[index]
                if byte == UInt8(ascii: "@") || byte == UInt8(ascii: "#") { return false }
                index += 1
            }
            return index > start && bytes[start] != UInt8(ascii: ":")
        }
    }
}
