/// Turns a DTO into raw data.
///
/// in: `DTO`, to next: `DTO.Raw`, out: what next gives.
public struct RawEncodingNode<DTO: RawEncodable & Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<DTO.Raw, Output>
    private let coding: JsonCoding

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the raw data.
    ///   - coding: How `Encodable` DTOs are written.
    public init(next: any Node<DTO.Raw, Output>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// Maps the DTO and passes it on.
    ///
    /// - Parameters:
    ///   - input: The DTO.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `encodingFailed` when `toRaw()` throws.
    public func process(_ input: DTO, context: RequestContext) async throws -> Output {
        let raw = try NetworkError.mapping(to: .encodingFailed, node: id) {
            coding.carried(by: try input.toRaw())
        }
        return try await next.process(raw, context: context)
    }
}
