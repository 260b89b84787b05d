package import CoreNetKitChain
package import CoreNetKitHTTP

/// Adds the cookies of a jar to each hop of a request, and keeps those of each response.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. A `Cookie` field that the request has already is kept, its
/// names win. `Set-Cookie` counts whatever the status.
package struct CookieNode: PolicyNode {
    package static let position = ChainPosition.cookies

    package let next: Exchange
    let jar: CookieJar

    /// Passes the request on with its cookies.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: The response.
    /// - Throws: What next throws.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let partition = context.partition.name
        var request = input
        if let field = jar.field(for: input.url, besides: input.headers["Cookie"], partition: partition) {
            request.headers["Cookie"] = field
        }
        let response = try await next.process(request, context: context)
        let refusals = jar.take(response.headers[values: "Set-Cookie"], from: response.url, partition: partition)
        let refused = refusals.compactMap(\.self)
        if !refused.isEmpty {
            context.record(
                .warning,
                id,
                "\(refused.count) cookies refused: \(refused.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return response
    }
}
