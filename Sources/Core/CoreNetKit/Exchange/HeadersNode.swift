public import CoreNetKitChain
public import CoreNetKitHTTP
import CoreNetKitSystem

struct HeadersPolicy: ChainPolicy {
    let provider: any MetadataProvider

    var positions: [ChainPosition] { [.headers] }
    // Its fields are part of the request before requests are compared.
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        HeadersNode(next: next, provider: provider)
    }
}

extension PolicyHolder {
    /// Adds a provider of header fields; it is called once per call, after those added before it.
    public func add(provider: any MetadataProvider) -> Self { with(HeadersPolicy(provider: provider)) }
}

/// Adds the header fields of a provider to a request.
///
/// The provider is called once per call; its fields replace those of the metadata and of providers added before. At the
/// deadline of the call, the node stops waiting for the provider.
package struct HeadersNode: ChainStep {
    package let next: Exchange
    let provider: any MetadataProvider

    package init(next: Exchange, provider: any MetadataProvider) {
        self.next = next
        self.provider = provider
    }

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        var request = input
        do {
            request.headers.merge(try await fields(context))
        } catch {
            throw NetworkError.wrapping(error, node: id) ?? error
        }
        // A provider that sets a type for all requests must not remove the boundary of a multipart form.
        if let type = input.headers["Content-Type"], type.isMultipart { request.headers["Content-Type"] = type }
        return try await next.process(request, context: context)
    }

    private func fields(_ context: RequestContext) async throws -> Headers {
        // Constants return at once; supervising the others costs two tasks.
        if provider is Headers || provider is [String: String] { return try await provider.metadata() }
        return try await Waiter.value(
            of: { [provider] in try await provider.metadata() },
            until: context.deadline,
            on: context.clock
        ) {
            let name = type(of: provider)
            return .queued(
                .deadlineExceeded,
                "the deadline passed while waiting for the header fields of \(name)",
                node: id
            )
        }
    }
}

/// Provides header fields for a call: a locale, a device id.
///
/// A provider is called once per call, not per attempt. Tokens that expire belong in a token source, and a signature at
/// `.inside(of: .exchange, "signature")`.
public protocol MetadataProvider: Sendable {
    /// Returns the fields; a later provider's field replaces an earlier one's of the same name.
    ///
    /// - Throws: Anything; the call fails with it as the cause.
    func metadata() async throws -> Headers
}

/// Gives dictionaries their `metadata()`, which as a member of their own would be a public method of all of them.
package protocol StandardMetadata {
    var sortedFields: Headers { get }
}

extension StandardMetadata {
    /// The pairs as fields, sorted by name.
    public func metadata() async throws -> Headers { sortedFields }
}

extension Dictionary: MetadataProvider, StandardMetadata where Key == String, Value == String {
    package var sortedFields: Headers { Headers(sorted { $0.key < $1.key }.map { ($0.key, $0.value) }) }
}

extension Headers: MetadataProvider {
    /// The fields themselves.
    public func metadata() async throws -> Headers { self }
}
