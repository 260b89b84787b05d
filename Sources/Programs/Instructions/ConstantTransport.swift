import CoreNetKitEssentials
import CoreNetKitHTTP

/// Returns the same response to each request at once, without a wire.
struct ConstantTransport: Transport {
    private let response: TransportResponse

    init(_ content: Data, from url: URL) {
        let fields: Headers = ["Content-Type": "application/json", "Content-Length": "\(content.count)"]
        response = TransportResponse(status: 200, headers: fields, body: .bytes(content), url: url, timings: .init())
    }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse { response }
}
