public import CoreNetKitChain

/// Adds the header fields of a provider.
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
