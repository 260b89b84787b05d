public import CoreNetKitHTTP

/// A payload with the metadata that travels beside it, before anything knows where it goes.
public struct RequestModel<Payload: Sendable>: Sendable {
    /// Transport-neutral keys and values; header fields where the transport is HTTP.
    public var metadata: Headers
    /// What is sent.
    public var payload: Payload

    /// Creates a request model.
    public init(metadata: Headers = [:], payload: Payload) {
        self.metadata = metadata
        self.payload = payload
    }
}
