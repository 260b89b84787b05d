/// Turns the DTO of the next node into an app model.
///
/// in and to next: unchanged, out: `Model`.
public struct DTODecodingNode<Model: DTODecodable & Sendable, Input: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Input, Model.DTO>

    /// Creates the node before `next`.
    public init(next: any Node<Input, Model.DTO>) { self.next = next }

    /// Passes the input on and maps the response.
    ///
    /// - Parameters:
    ///   - input: The input of the next node.
    ///   - context: The data of this call.
    /// - Returns: The app model.
    /// - Throws: ``NetworkError`` with code `decodingFailed` when `from(dto:)` throws.
    public func process(_ input: Input, context: RequestContext) async throws -> Model {
        let dto = try await next.process(input, context: context)
        do {
            return try Model.from(dto: dto)
        } catch {
            throw NetworkError.decoding(error, as: Model.self, by: id)
        }
    }
}
