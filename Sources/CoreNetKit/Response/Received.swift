import CoreNetKitHTTP

/// A value on its way back, with the response that it is read from: errors keep status, fields and body of it.
package struct Received<Model: Sendable>: Sendable {
    package let model: Model
    /// `nil` where the chain is not HTTP.
    package let response: TransportResponse?

    package init(_ model: Model, _ response: TransportResponse?) {
        self.model = model
        self.response = response
    }

    package func map<Other: Sendable>(_ transform: (Model) throws -> Other) rethrows -> Received<Other> {
        Received<Other>(try transform(model), response)
    }
}

extension Received: ResponsePayload where Model: ResponsePayload {
    package static var accept: String { Model.accept }
    package static var delivery: ResponseDelivery? { Model.delivery }
    package init(response: TransportResponse) throws { self.init(try Model(response: response), response) }
}

extension Received: RawDecodable where Model: RawDecodable {
    package typealias Raw = Received<Model.Raw>
    package static func from(raw: Received<Model.Raw>) throws -> Self { try raw.map { try Model.from(raw: $0) } }
}

extension Received: DTODecodable where Model: DTODecodable {
    package typealias DTO = Received<Model.DTO>
    package static func from(dto: Received<Model.DTO>) throws -> Self { try dto.map { try Model.from(dto: $0) } }
}

/// Hands out the response of a value whose type nobody knows any more: when an error is made.
protocol ResponseCarrier: Sendable {
    static var modelType: Any.Type { get }
    var response: TransportResponse? { get }
}

extension Received: ResponseCarrier {
    static var modelType: Any.Type { Model.self }
}

/// Ends the way back: what the caller asked for, without the response that it came in.
struct UnwrappingNode<Model: Sendable, Input: Sendable>: ChainStep {
    let next: any Node<Input, Received<Model>>

    // Not a step of its own: the chain is drawn as if it were not there.
    var id: NodeID { next.id }
    var successors: [any Node] { next.successors }

    func process(_ input: Input, context: RequestContext) async throws -> Model {
        do {
            let received = try await next.process(input, context: context)
            context.noteDecoded(Model.self, from: received.response)
            return received.model
        } catch {
            context.noteDecodingFailure(error, as: Model.self)
            throw error
        }
    }
}

extension RequestContext {
    /// Notes that the content of a response became a model.
    func noteDecoded(_ type: Any.Type, from response: TransportResponse?) {
        note(.decoded(type, bytes: response?.body.data?.count ?? 0))
    }

    /// Notes that it did not, where that is what the error says.
    func noteDecodingFailure(_ error: any Error, as type: Any.Type) {
        guard let failure = error as? NetworkError, failure.code == .decodingFailed || failure.code == .emptyBody
        else { return }
        note(.decodeFailed(type, message: failure.message))
    }
}
