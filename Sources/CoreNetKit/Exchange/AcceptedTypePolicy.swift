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

/// Turns a successful response of another media type into an error that keeps it.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. Responses without content, and without a type, pass.
struct AcceptedTypeNode: ChainStep {
    let next: Exchange
    let types: [TransportResponse.AcceptedType]

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let response = try await next.process(input, context: context)
        guard let type = response.headers["Content-Type"], !type.isEmpty, input.method != .head,
            ![101, 204, 205].contains(response.status), response.body.data?.isEmpty != true,
            !types.contains(where: { $0.takes(type) })
        else { return response }
        let wanted = types.map(\.description).joined(separator: " or ")
        let failed = FailedResponse(response)
        var error = NetworkError(
            .decodingFailed,
            "expected \(wanted), got \(failed.origin)",
            node: id,
            response: failed
        )
        error.attempt = response.attempt
        if case .stream(let stream) = response.body { stream.close() }
        throw error
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

extension FailedResponse {
    /// Type, status and URL, without secrets: enough to find the source of unexpected content.
    var origin: String {
        let type = headers["Content-Type"].map(TransportResponse.AcceptedType.essence) ?? ""
        let hint = type == "text/html" ? " (a login page?)" : ""
        let shown = type.isEmpty ? "no media type" : type + hint
        return "\(shown), status \(status) from \(Redaction.url(url, by: secrets))"
    }
}
