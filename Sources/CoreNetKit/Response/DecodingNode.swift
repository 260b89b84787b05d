#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import CoreNetKitHTTP

/// Reads an accepted response as raw data.
///
/// in and to next: `TransportRequest`, out: `Payload`, from the `TransportResponse` that next gives.
public struct DecodingNode<Payload: ResponsePayload, Next: Node>: Node
where Next.Input == TransportRequest, Next.Output == TransportResponse {
    private let next: Next

    /// Creates the node in front of `next`.
    public init(next: Next) { self.next = next }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Passes the request on and reads the response.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: The raw data.
    /// - Throws: ``NetworkError`` with code `emptyBody` or `decodingFailed`, or what next throws.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> Payload {
        var request = input
        if let delivery = Payload.delivery { request.delivery = delivery }
        let response = try await next.process(request, context: context)
        context.answer.response = response
        do {
            return try Payload(response: response)
        } catch var error as NetworkError {
            error.response = error.response ?? FailedResponse(response)
            throw error
        } catch {
            throw NetworkError.decoding(error, as: Payload.self, stage: id, response: FailedResponse(response))
        }
    }
}

extension FailedResponse {
    /// The parts of a response that an error keeps.
    init(_ response: TransportResponse) {
        self.init(
            status: response.status,
            headers: response.headers,
            body: response.body.data ?? Data(),
            url: response.url
        )
    }
}
