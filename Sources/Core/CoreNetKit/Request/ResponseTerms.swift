import CoreNetKitChain
import CoreNetKitHTTP

/// The requirements of the reader of a response.
struct ResponseTerms: Sendable {
    /// The value of the `Accept` field.
    let accept: String
    /// The required delivery of the content; `nil` uses the setting of the chain.
    let delivery: ResponseDelivery?

    init(accept: String, delivery: ResponseDelivery?) {
        self.accept = accept
        self.delivery = delivery
    }

    init<Payload: ResponsePayload>(of payload: Payload.Type) {
        self.init(accept: Payload.accept, delivery: Payload.delivery)
    }

    /// The requirements of the first reader in a part of a chain; `nil` if there is none.
    init?(below node: any Node) {
        let found = (node as? any ReadingNode)?.terms ?? node.successors.lazy.compactMap { Self(below: $0) }.first
        guard let found else { return nil }
        self = found
    }
}

/// A node that reads responses: a ``ResponseNode`` of any model.
protocol ReadingNode: Node {
    var terms: ResponseTerms { get }
}
