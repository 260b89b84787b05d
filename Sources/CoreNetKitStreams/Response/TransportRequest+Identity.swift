import CoreNetKitHTTP

extension TransportRequest {
    /// Asks for content that is not compressed.
    mutating func askForIdentity() { headers["Accept-Encoding"] = "identity" }
}
