#if os(Linux)
    import CoreNetKitTransport
    // stands in until CurlTransport lands
    struct PendingTransport: Transport {
        var capabilities: TransportCapabilities { [] }
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            throw TransportError(.unsupported, phase: .queue, message: "no transport yet")
        }
    }
#endif
