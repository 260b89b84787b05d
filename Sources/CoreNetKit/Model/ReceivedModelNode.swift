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
            let received = try await next.process(input, context: context)
            let model = try model(of: received)
            context.noteDecoded(Model.self, from: received.response)
            return model
        } catch {
            context.noteDecodingFailure(error, as: Model.self)
            throw error
        }
    }

    private func model(of received: Received<Model.DTO.Raw>) throws -> Model {
        let dto: Model.DTO
        do {
            dto = try Model.DTO.from(raw: coding.carried(by: received.model))
        } catch {
            throw NetworkError.decoding(error, as: Model.DTO.self, from: received, node: "RawDecodingNode")
        }
        do {
            return try Model.from(dto: dto)
        } catch {
            throw NetworkError.decoding(error, as: Model.self, from: received, node: "DTODecodingNode")
        }
    }
}
