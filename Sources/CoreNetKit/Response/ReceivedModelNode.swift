import CoreNetKitHTTP

/// Turns raw data that came in a response into an app model: what ``DTODecodingNode`` and ``RawDecodingNode`` do one after
/// the other in other chains, and errors that know the response.
///
/// in and to next: unchanged, out: `Model`.
final class ReceivedModelNode<Model: DTODecodable & Sendable, Input: Sendable>: ChainStep, CombinedNode {
    let next: any Node<Input, Received<Model.DTO.Raw>>
    private let coding: JsonCoding

    init(next: any Node<Input, Received<Model.DTO.Raw>>, coding: JsonCoding) {
        self.next = next
        self.coding = coding
    }

    var id: NodeID { "DTODecodingNode" }
    var steps: [NodeID] { ["DTODecodingNode", "RawDecodingNode"] }

    func process(_ input: Input, context: RequestContext) async throws -> Model {
        do {
            return try await next.process(input, context: context).model(Model.self, coding, context)
        } catch {
            context.noteDecodingFailure(error, as: Model.self)
            throw error
        }
    }
}

/// The same at the top of a chain that takes nothing: what ``VoidInputNode`` does, too.
///
/// in: `Void`, to next: ``EmptyPayload``, out: `Model`.
final class RequestedModelNode<Model: DTODecodable & Sendable>: ChainStep, CombinedNode {
    let next: any Node<EmptyPayload, Received<Model.DTO.Raw>>
    private let coding: JsonCoding

    init(next: any Node<EmptyPayload, Received<Model.DTO.Raw>>, coding: JsonCoding) {
        self.next = next
        self.coding = coding
    }

    var id: NodeID { "VoidInputNode" }
    var steps: [NodeID] { ["VoidInputNode", "DTODecodingNode", "RawDecodingNode"] }

    func process(_ input: Void, context: RequestContext) async throws -> Model {
        do {
            return try await next.process(EmptyPayload(), context: context).model(Model.self, coding, context)
        } catch {
            context.noteDecodingFailure(error, as: Model.self)
            throw error
        }
    }
}

extension Received {
    /// The app model that raw data stands for.
    fileprivate func model<AppModel: DTODecodable>(
        _ type: AppModel.Type,
        _ coding: JsonCoding,
        _ context: RequestContext
    ) throws -> AppModel where AppModel.DTO.Raw == Model {
        let dto: AppModel.DTO
        do {
            dto = try AppModel.DTO.from(raw: coding.carried(by: model))
        } catch {
            throw NetworkError.decoding(error, as: AppModel.DTO.self, from: self, node: "RawDecodingNode")
        }
        do {
            let made = try AppModel.from(dto: dto)
            context.noteDecoded(type, from: response)
            return made
        } catch {
            throw NetworkError.decoding(error, as: type, from: self, node: "DTODecodingNode")
        }
    }
}
