import CoreNetKitHTTP

/// Turns the JSON that next gives into a plain `Decodable` model: no DTO layer.
///
/// in and to next: unchanged, out: `Model`.
public struct CodableDecodingNode<Model: Decodable & Sendable, Next: Node>: Node where Next.Output == Json {
    private let next: Next
    private let coding: JsonCoding

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that gives the JSON.
    ///   - coding: How the model is read.
    public init(next: Next, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Passes the input on and decodes the answer.
    ///
    /// - Parameters:
    ///   - input: What next takes.
    ///   - context: What belongs to this call alone.
    /// - Returns: The model.
    /// - Throws: ``NetworkError`` with code `decodingFailed` and the coding path.
    public func process(_ input: Next.Input, context: RequestContext) async throws -> Model {
        let json = try await next.process(input, context: context)
        do {
            if json.isNoContent, let empty = (Model.self as? any EmptyRepresentable.Type)?.ofNoContent as? Model {
                return empty
            }
            return try scoped(context.answer.response) { try coding.applied { try json.model(Model.self) } }
        } catch {
            throw NetworkError.decoding(error, as: Model.self, stage: id, response: context.answer.failed)
        }
    }

    /// Lets a ``Response`` around the model find the response it belongs to.
    private func scoped(_ response: TransportResponse?, _ decode: () throws -> Model) rethrows -> Model {
        guard Model.self is any ResponseModel.Type else { return try decode() }
        return try ResponseScope.$current.withValue(response, operation: decode)
    }
}
