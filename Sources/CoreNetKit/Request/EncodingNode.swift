public import CoreNetKitHTTP

/// Turns a payload into a request that is ready for the wire.
///
/// in: `LocatedRequest<Payload>`, to next: `TransportRequest`, out: what next gives.
/// A GET or HEAD with the encoding `json` sends its model as the query; a model without content sends no body.
/// The metadata's `Content-Type` is kept, unless the payload's names a boundary.
public struct EncodingNode<Payload: RequestPayload, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<TransportRequest, Output>
    private let form: RequestForm

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
        form = RequestForm(encoding: encoding, strategies: strategies, timeouts: timeouts, delivery: delivery)
    }

    /// Encodes the payload and passes the request on.
    ///
    /// - Parameters:
    ///   - input: The located request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `encodingFailed` or `unsupportedValue`.
    public func process(_ input: LocatedRequest<Payload>, context: RequestContext) async throws -> Output {
        let request = try form.request(input.method, input.url, input.metadata, input.payload, context)
        return try await next.process(request, context: context)
    }
}
