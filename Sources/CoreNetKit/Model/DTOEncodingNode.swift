/// Turns an app model into its DTO.
///
/// in: `Model`, to next: `Model.DTO`, out: what next gives.
public struct DTOEncodingNode<Model: DTOEncodable & Sendable, Next: Node>: Node where Next.Input == Model.DTO {
    private let next: Next

    /// Creates the node in front of `next`.
    public init(next: Next) { self.next = next }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Maps the model and passes it on.
    ///
    /// - Parameters:
    ///   - input: The app model.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `encodingFailed` when `toDTO()` throws.
    public func process(_ input: Model, context: RequestContext) async throws -> Next.Output {
        let dto = try NetworkError.mapping(to: .encodingFailed, stage: id) { try input.toDTO() }
        return try await next.process(dto, context: context)
    }
}
