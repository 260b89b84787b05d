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
}
