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
}

extension Received: ResponsePayload where Model: ResponsePayload {
    package static var accept: String { Model.accept }
    package static var delivery: ResponseDelivery? { Model.delivery }
    package init(response: TransportResponse) throws { self.init(try Model(response: response), response) }
}

/// Hands out the response of a value whose type nobody knows any more: when an error is made.
protocol ResponseCarrier: Sendable {
    static var modelType: Any.Type { get }
    var response: TransportResponse? { get }
}

extension Received: ResponseCarrier {
    static var modelType: Any.Type { Model.self }
}

extension RequestContext {
    /// Notes that the content of a response became a model.
    func noteDecoded(_ type: Any.Type, from response: TransportResponse?) {
        noteDetail(.decoded(type, bytes: response?.body.data?.count ?? 0))
    }

    /// Notes that it did not, where that is what the error says.
    func noteDecodingFailure(_ error: any Error, as type: Any.Type) {
        guard let failure = error as? NetworkError, failure.code == .decodingFailed || failure.code == .emptyBody
        else { return }
        note(.decodeFailed(type, message: failure.message))
    }
}
