/// Turns a plain `Encodable` model into JSON: no DTO layer.
///
/// in: `Model`, to next: `Json`, out: the output of next.
package struct CodableEncodingNode<Model: Encodable & Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    package let next: any Node<Json, Output>
    private let coding: JsonCoding
    /// Whether the model may have a `toRaw()` of its own: determined once for its type.
    private let mayWriteItself: Bool

    /// Creates the node before `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the JSON.
    ///   - coding: How the model is encoded.
    package init(next: any Node<Json, Output>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
        mayWriteItself = Model.self is any RawEncodable.Type || Model.self is AnyClass
    }

    /// Encodes the model and passes it on.
    ///
    /// - Parameters:
    ///   - input: The model.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: ``NetworkError`` with code `encodingFailed` when the model cannot be encoded.
    package func process(_ input: Model, context: RequestContext) async throws -> Output {
        let json = try NetworkError.mapping(to: .encodingFailed, node: id) {
            coding.attached(to: try mayWriteItself ? Json(model: input) : Json(encoding: input))
        }
        return try await next.process(json, context: context)
    }
}
