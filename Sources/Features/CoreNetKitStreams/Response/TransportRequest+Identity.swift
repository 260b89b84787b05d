import CoreNetKitHTTP

extension TransportRequest {
    /// Asks for content that is not compressed, and is handed over as it came.
    mutating func askForIdentity() {
        headers["Accept-Encoding"] = "identity"
        coding = .identity
    }
}
