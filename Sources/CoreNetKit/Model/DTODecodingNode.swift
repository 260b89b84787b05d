/// Turns the DTO that next gives into an app model.
///
/// in and to next: unchanged, out: `Model`.
public struct DTODecodingNode<Model: DTODecodable & Sendable, Next: Node>: Node where Next.Output == Model.DTO {
    private let next: Next

    /// Creates the node in front of `next`.
    public init(next: Next) { self.next = next }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Passes the input on and maps the answer.
    ///
    /// - Parameters:
    ///   - input: What next takes.
    ///   - context: What belongs to this call alone.
    /// - Returns: The app model.
    /// - Throws: ``NetworkError`` with code `decodingFailed` when `from(dto:)` throws.
    public func process(_ input: Next.Input, context: RequestContext) async throws -> Model {
        let dto = try await next.process(input, context: context)
        do {
            return try Model.from(dto: dto)
        } catch {
            throw NetworkError.decoding(error, as: Model.self, stage: id, response: context.answer.failed)
        }
    }
}
