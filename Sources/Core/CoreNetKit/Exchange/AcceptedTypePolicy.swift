public import CoreNetKitChain
public import CoreNetKitHTTP

/// Accepts only responses of some media types, see ``PolicyHolder/accepting(_:)``.
struct AcceptedTypePolicy: ChainPolicy {
    let types: [TransportResponse.AcceptedType]

    // Outside the cache, so that a stored response is checked, too.
    var positions: [ChainPosition] { [.outside(of: .cache, "accepting")] }
    var scope: PolicyScope { .none }
    var problem: String? { types.isEmpty ? "a chain that accepts no media type has no response" : nil }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AcceptedTypeNode(next: next, types: types)
    }
}

extension PolicyHolder {
    /// Accepts only responses of these media types: any other, such as the HTML of a login page, fails with
    /// `decodingFailed`.
    ///
    /// It checks only responses with a successful status; responses without content or without a type pass. Off by
    /// default. The last setting applies.
    ///
    /// - Parameter types: The types, at least one.
    /// - Returns: A changed copy.
    public func accepting(_ types: [TransportResponse.AcceptedType]) -> Self {
        without(.outside(of: .cache, "accepting")).with(AcceptedTypePolicy(types: types))
    }
}

extension PolicyHolder {
    /// The media types that responses may have; `nil` for any.
    package var acceptedTypes: [TransportResponse.AcceptedType]? {
        configuration.parts.policy(AcceptedTypePolicy.self)?.types
    }
}
