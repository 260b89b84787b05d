public import CoreNetKitChain

/// Asks a provider for header fields.
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
    /// Adds a provider of header fields; it is called for each call, after those added before it.
    public func add(provider: any MetadataProvider) -> Self { with(HeadersPolicy(provider: provider)) }
}
