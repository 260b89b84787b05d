/// Turns the raw data of the next node into a DTO.
///
/// in and to next: unchanged, out: `DTO`.
public struct RawDecodingNode<DTO: RawDecodable & Sendable, Input: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Input, DTO.Raw>
    private let coding: JsonCoding

    /// Creates the node before `next`.
    ///
    /// - Parameters:
    ///   - next: The node that returns the raw data.
    ///   - coding: How `Decodable` DTOs are decoded.
    public init(next: any Node<Input, DTO.Raw>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// Passes the input on and maps the response.
    ///
    /// - Parameters:
    ///   - input: The input of the next node.
    ///   - context: The data of this call.
    /// - Returns: The DTO.
    /// - Throws: ``NetworkError`` with code `decodingFailed` and the coding path if the data does not match the DTO.
    public func process(_ input: Input, context: RequestContext) async throws -> DTO {
        let raw = try await next.process(input, context: context)
        do {
            return try DTO.from(raw: coding.attached(to: raw))
        } catch {
            throw NetworkError.decoding(error, as: DTO.self, by: id)
        }
    }
}
