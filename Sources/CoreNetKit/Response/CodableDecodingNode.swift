/// Turns the JSON that next gives into a plain `Decodable` model: no DTO layer.
///
/// in and to next: unchanged, out: `Model`.
public struct CodableDecodingNode<Model: Decodable & Sendable, Input: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Input, Json>
    private let coding: JsonCoding

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that gives the JSON.
    ///   - coding: How the model is read.
    public init(next: any Node<Input, Json>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// Passes the input on and decodes the response.
    ///
    /// - Parameters:
    ///   - input: What next takes.
    ///   - context: What belongs to this call alone.
    /// - Returns: The model.
    /// - Throws: ``NetworkError`` with code `decodingFailed` and the coding path.
    public func process(_ input: Input, context: RequestContext) async throws -> Model {
        let json = try await next.process(input, context: context)
        do {
            return try json.plainModel(Model.self, coding: coding)
        } catch {
            throw NetworkError.decoding(error, as: Model.self, from: json, node: id)
        }
    }
}

/// The same in a chain that is HTTP, where the model may be a ``Response``.
struct ReceivedDecodingNode<Model: Decodable & Sendable, Input: Sendable>: ChainStep {
    let next: any Node<Input, Received<Json>>
    let coding: JsonCoding

    var id: NodeID { "CodableDecodingNode" }

    func process(_ input: Input, context: RequestContext) async throws -> Model {
        let received = try await next.process(input, context: context)
        do {
            let model = try model(of: received)
            context.noteDecoded(Model.self, from: received.response)
            return model
        } catch {
            let failure = NetworkError.decoding(error, as: Model.self, from: received, node: id)
            context.noteDecodingFailure(failure, as: Model.self)
            throw failure
        }
    }

    private func model(of received: Received<Json>) throws -> Model {
        if let type = Model.self as? any ResponseModel.Type, let response = received.response,
            let model = try type.decoded(from: received.model, coding: coding, of: response) as? Model
        {
            return model
        }
        return try received.model.plainModel(Model.self, coding: coding)
    }
}

extension Json {
    /// Reads a plain model; one that stands for "no content" needs none.
    func plainModel<Model: Decodable>(_ type: Model.Type, coding: JsonCoding) throws -> Model {
        if isNoContent, let empty = (Model.self as? any EmptyRepresentable.Type)?.ofNoContent as? Model { return empty }
        if isBlank, let empty = (Model.self as? any OptionalRepresentable.Type)?.ofNothing as? Model { return empty }
        return try coding.carried(by: self).model(Model.self)
    }
}
