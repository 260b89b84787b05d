public import CoreNetKitChain
public import CoreNetKitHTTP

/// Reads an accepted response as a model.
///
/// in and to next: `TransportRequest`, out: `Model`. The ``RequestNode`` before it makes requests that fit the model: their
/// `Accept`, and how the content is delivered. The response passes these steps in order:
///
/// 1. The raw data reads the `TransportResponse`.
/// 2. The DTO reads the raw data, as in ``RawDecodingNode``.
/// 3. The model is made from the DTO, as in ``DTODecodingNode``.
///
/// A plain `Decodable` model reads the JSON itself; a model that is its own DTO, or its own raw data, has fewer steps.
/// Errors of all steps keep the response.
public final class ResponseNode<Model: Sendable>: ChainStep, ReadingNode {
    /// The next node.
    public let next: Exchange
    let requirements: ResponseRequirements
    let read: @Sendable (TransportResponse, RequestContext) throws -> Model

    init(
        next: Exchange,
        requirements: ResponseRequirements,
        read: @escaping @Sendable (TransportResponse, RequestContext) throws -> Model
    ) {
        self.next = next
        self.requirements = requirements
        self.read = read
    }

    /// Passes the request on and reads the response.
    ///
    /// - Throws: ``NetworkError`` with code `emptyBody` or `decodingFailed` and the coding path, or an error of the next node.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> Model {
        try model(of: try await next.process(input, context: context), to: input.method, context)
    }

    private func model(
        of response: consuming TransportResponse,
        to method: HTTPMethod,
        _ context: RequestContext
    ) throws -> Model {
        // Only a chain that accepts every status gets such a response.
        if response.status >= 300, let failure = response.contentFailure {
            throw NetworkError(failure, node: .transport).of(attempt: response.attempt)
        }
        if method == .head { response.isHeadOnly = true }
        do {
            return try read(response, context)
        } catch {
            let failure = NetworkError.decoding(error, as: Model.self, of: response, by: id)
            context.noteDecodingFailure(failure, as: Model.self)
            throw failure
        }
    }
}

private enum HeadOnlyKey: Attributes.Key {
    typealias Value = Bool
}

extension TransportResponse {
    /// Whether it is the response to a HEAD: it has no content, whatever its status.
    var isHeadOnly: Bool {
        get { attributes[HeadOnlyKey.self] ?? false }
        set { attributes[HeadOnlyKey.self] = newValue }
    }
}

extension RequestContext {
    func noteDecoded(_ type: Any.Type, from response: TransportResponse) {
        noteDetail(.decoded(type, bytes: response.body.data?.count ?? 0))
    }

    /// Records that decoding failed, if the error says so.
    fileprivate func noteDecodingFailure(_ error: any Error, as type: Any.Type) {
        guard let failure = error as? NetworkError, failure.code == .decodingFailed || failure.code == .emptyBody
        else { return }
        note(.decodeFailed(type, message: failure.message))
    }
}
