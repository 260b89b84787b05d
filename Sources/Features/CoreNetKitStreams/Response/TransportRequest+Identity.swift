import CoreNetKitHTTP

extension TransportRequest {
    /// Requests uncompressed content, passed on as received.
    mutating func askForIdentity() {
        headers["Accept-Encoding"] = "identity"
        coding = .identity
    }
}
