/// Turns an app model into its DTO.
///
/// in: `Model`, to next: `Model.DTO`, out: the output of next.
public struct DTOEncodingNode<Model: DTOEncodable & Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Model.DTO, Output>

    /// Creates the node before `next`.
    public init(next: any Node<Model.DTO, Output>) { self.next = next }

    /// Maps the model and passes it on.
    ///
    /// - Parameters:
    ///   - input: The app model.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: ``NetworkError`` with code `encodingFailed` when `toDTO()` throws.
    public func process(_ input: Model, context: RequestContext) async throws -> Output {
        let dto = try NetworkError.mapping(to: .encodingFailed, node: id) { try input.toDTO() }
        return try await next.process(dto, context: context)
    }
}
