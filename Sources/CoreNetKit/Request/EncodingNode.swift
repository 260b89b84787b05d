#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import CoreNetKitHTTP

/// Turns a payload into a request that is ready for the wire.
///
/// in: `LocatedRequest<Payload>`, to next: `TransportRequest`, out: what next gives.
/// A GET or HEAD with the encoding `json` sends its model as the query; a model without content sends no body.
/// The metadata's `Content-Type` is kept, unless the payload's names a boundary.
public struct EncodingNode<Payload: RequestPayload, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<TransportRequest, Output>
    private let encoding: ParametersEncoding
    private let strategies: ParameterStrategies
    private let timeouts: Timeouts
    private let delivery: ResponseDelivery

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the request.
    ///   - encoding: Where the parameters go.
    ///   - strategies: How values are written in a query or form.
    ///   - timeouts: Limits of each exchange.
    ///   - delivery: How the content of the response is handed over.
    public init(
        next: any Node<TransportRequest, Output>,
        encoding: ParametersEncoding = .json,
        strategies: ParameterStrategies = .init(),
        timeouts: Timeouts = .init(),
        delivery: ResponseDelivery = .collect
    ) {
        self.next = next
        self.encoding = encoding
        self.strategies = strategies
        self.timeouts = timeouts
        self.delivery = delivery
    }

    /// Encodes the payload and passes the request on.
    ///
    /// - Parameters:
    ///   - input: The located request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `encodingFailed` or `unsupportedValue`.
    public func process(_ input: LocatedRequest<Payload>, context: RequestContext) async throws -> Output {
        let hasBody = input.method != .get && input.method != .head
        let place = encoding == .json && !hasBody ? .urlQuery : encoding
        let encoded = try NetworkError.mapping(to: .encodingFailed, stage: id) {
            try input.payload.encoded(as: place, strategies: strategies)
        }
        var request = TransportRequest(
            method: input.method,
            url: try input.url.appending(query: encoded.query),
            headers: input.metadata,
            body: encoded.body,
            timeouts: timeouts,
            delivery: delivery
        )
        if let type = encoded.contentType, type.isMultipart || !request.headers.contains("Content-Type") {
            request.headers["Content-Type"] = type
        }
        context.note(
            .requestBuilt(method: request.method, url: request.url.absoluteString, headers: request.headers)
        )
        context.record(.debug, id, "\(place), \(encoded.contentType ?? "no content")")
        return try await next.process(request, context: context)
    }
}

extension String {
    /// Whether the media type names a boundary, without which the content cannot be read: no other may replace it.
    var isMultipart: Bool { lowercased().hasPrefix("multipart/") }
}
