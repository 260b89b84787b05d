public import CoreNetKitHTTP

/// Reads an accepted response as raw data.
///
/// in and to next: `TransportRequest`, out: `Payload`, from the `TransportResponse` that next gives. It asks for what it
/// can read: `Accept`, unless the request has one, and how the content is handed over.
public struct DecodingNode<Payload: ResponsePayload>: ChainStep {
    /// The next node.
    public let next: Exchange

    /// Creates the node in front of `next`.
    public init(next: Exchange) { self.next = next }

    /// Passes the request on and reads the response.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: The raw data.
    /// - Throws: ``NetworkError`` with code `emptyBody` or `decodingFailed`, or what next throws.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> Payload {
        var request = input
        var context = context
        // Asked first: a change copies the request.
        if let delivery = Payload.delivery, request.delivery != delivery { request.delivery = delivery }
        if !request.headers.contains("Accept") { request.headers.append("Accept", Payload.accept) }
        if context.hasStandardDeadline, request.takesItsTime { context.deadline = nil }
        var response = try await next.process(request, context: context)
        if request.method == .head { response.isHeadOnly = true }
        do {
            return try Payload(response: response)
        } catch {
            throw NetworkError.decoding(error, as: Payload.self, from: response, node: id)
        }
    }
}

extension TransportRequest {
    /// Whether content is sent or received that may be of any size: a limit of silence fits it, a limit of time does not.
    ///
    /// The handshake of a connection is over with its head, and has its time as any call.
    fileprivate var takesItsTime: Bool { !(delivery.isCollected || delivery == .duplex) || !body.isInMemory }
}

private enum HeadOnlyKey: Attributes.Key {
    typealias Value = Bool
}

extension TransportResponse {
    /// Whether it answers a HEAD: it has no content, whatever its status.
    var isHeadOnly: Bool {
        get { attributes[HeadOnlyKey.self] ?? false }
        set { attributes[HeadOnlyKey.self] = newValue }
    }
}
