public import CoreNetKitHTTP

/// A payload with its metadata, before its destination is known.
public struct RequestModel<Payload: Sendable>: Sendable {
    /// Transport-neutral keys and values; header fields if the transport is HTTP.
    public var metadata: Headers
    /// The payload.
    public var payload: Payload

    /// Creates a request model.
    public init(metadata: Headers = [:], payload: Payload) {
        self.metadata = metadata
        self.payload = payload
    }
}
