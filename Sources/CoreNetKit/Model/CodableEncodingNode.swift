/// Turns a plain `Encodable` model into JSON: no DTO layer.
///
/// in: `Model`, to next: `Json`, out: what next gives.
public struct CodableEncodingNode<Model: Encodable & Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Json, Output>
    private let coding: JsonCoding

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the JSON.
    ///   - coding: How the model is written.
    public init(next: any Node<Json, Output>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// Encodes the model and passes it on.
    ///
    /// - Parameters:
    ///   - input: The model.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `encodingFailed` when the model cannot be encoded.
    public func process(_ input: Model, context: RequestContext) async throws -> Output {
        let json = try NetworkError.mapping(to: .encodingFailed, stage: id) {
            coding.carried(by: try Json(model: input))
        }
        return try await next.process(json, context: context)
    }
}
