import CoreNetKitEssentials
import CoreNetKitHTTP

/// A head as a transport keeps it.
final class ResponseHead: ResponseSource {
    let headers: Headers = ["Content-Type": "application/json", "Content-Length": "190", "Server": "nginx"]
    let reason = ""
    let httpVersion: String?

    init(httpVersion: String?) { self.httpVersion = httpVersion }

    var timings: TransportTimings {
        var timings = TransportTimings()
        (timings.firstByte, timings.receive, timings.total) = (.milliseconds(2), .zero, .milliseconds(3))
        timings.httpVersion = httpVersion
        return timings
    }
}

/// Returns a response to each request at once, with its head as a transport keeps it.
struct LazyHeadTransport: Transport {
    let body: Data
    private let head = ResponseHead(httpVersion: "1.1")

    init(body: Data) { self.body = body }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, body: .bytes(body), url: request.namedURL, source: head)
    }
}

/// Returns the same response to each request at once, without a wire.
struct PrebuiltTransport: Transport {
    private let response: TransportResponse

    init(_ content: Data, from url: URL) {
        let fields: Headers = ["Content-Type": "application/json", "Content-Length": "\(content.count)"]
        response = TransportResponse(status: 200, headers: fields, body: .bytes(content), url: url, timings: .init())
    }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse { response }
}
