/// Turns a DTO into raw data.
///
/// in: `DTO`, to next: `DTO.Raw`, out: the output of next.
public struct RawEncodingNode<DTO: RawEncodable & Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<DTO.Raw, Output>
    private let coding: JsonCoding

    /// Creates the node before `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the raw data.
    ///   - coding: How `Encodable` DTOs are encoded.
    public init(next: any Node<DTO.Raw, Output>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// Maps the DTO and passes it on.
    ///
    /// - Parameters:
    ///   - input: The DTO.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: ``NetworkError`` with code `encodingFailed` when `toRaw()` throws.
    public func process(_ input: DTO, context: RequestContext) async throws -> Output {
        let raw = try NetworkError.mapping(to: .encodingFailed, node: id) {
            coding.attached(to: try input.toRaw())
        }
        return try await next.process(raw, context: context)
    }
}
