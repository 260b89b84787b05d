public import CoreNetKitChain

/// Asks a provider for header fields.
struct HeadersPolicy: ChainPolicy {
    let provider: any MetadataProvider

    var positions: [ChainPosition] { [.headers] }
    // What it adds is part of the request by the time that two are compared.
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        HeadersNode(next: next, provider: provider)
    }
}

extension PolicyHolder {
    /// Adds a provider of header fields; it is asked for each call, after those added before it.
    public func add(provider: any MetadataProvider) -> Self { with(HeadersPolicy(provider: provider)) }
}
