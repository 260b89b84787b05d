/// Turns a plain `Encodable` model into JSON: no DTO layer.
///
/// in: `Model`, to next: `Json`, out: what next gives.
public struct CodableEncodingNode<Model: Encodable & Sendable, Next: Node>: Node where Next.Input == Json {
    private let next: Next
    private let coding: JsonCoding

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the JSON.
    ///   - coding: How the model is written.
    public init(next: Next, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Encodes the model and passes it on.
    ///
    /// - Parameters:
    ///   - input: The model.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `encodingFailed` when the model cannot be encoded.
    public func process(_ input: Model, context: RequestContext) async throws -> Next.Output {
        let json = try NetworkError.mapping(to: .encodingFailed, stage: id) {
            try coding.applied { try Json(model: input) }
        }
        return try await next.process(json, context: context)
    }
}
