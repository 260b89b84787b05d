#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP

    /// Returns the same response to each request, at once.
    struct InstantTransport: Transport {
        private final class Head: ResponseSource {
            let headers: Headers = ["Content-Type": "application/json", "Content-Length": "190", "Server": "nginx"]
            let reason = ""
            let httpVersion: String? = "1.1"
            var timings: TransportTimings {
                var timings = TransportTimings()
                (timings.firstByte, timings.receive, timings.total) = (.milliseconds(2), .zero, .milliseconds(3))
                timings.httpVersion = httpVersion
                return timings
            }
        }

        let body: Data
        private let head = Head()

        init(body: Data) { self.body = body }

        var capabilities: TransportCapabilities { [] }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(status: 200, body: .bytes(body), url: request.url, source: head)
        }
    }
#endif
