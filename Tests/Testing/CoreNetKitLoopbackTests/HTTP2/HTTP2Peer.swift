#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// A server and a transport that speaks HTTP/2 with it from the first byte.
    struct HTTP2Peer: Sendable {
        let server: LoopbackServer
        let transport: CurlTransport

        init(_ server: LoopbackServer) {
            self.server = server
            var configuration = CurlTransport.Configuration()
            configuration.httpVersion = .http2PriorKnowledge
            transport = CurlTransport(configuration: configuration)
        }

        init(_ response: LoopbackResponse) throws { self.init(try LoopbackServer { _ in response }) }

        func send(
            _ method: HTTPMethod = .get,
            _ path: String = "/",
            headers: Headers = [:],
            body: RequestBody = .empty,
            delivery: ResponseDelivery = .collect
        ) async throws -> TransportResponse {
            let url = server.url(path)
            return try await transport.send(
                TransportRequest(method: method, url: url, headers: headers, body: body, delivery: delivery)
            )
        }

        /// Status and content, or the code of what failed and the content that had arrived.
        func outcome(_ method: HTTPMethod = .get, _ path: String = "/", body: RequestBody = .empty) async -> String {
            func text(_ response: TransportResponse?) -> String {
                response.map { "\($0.status) \(String(decoding: $0.body.data ?? Data(), as: UTF8.self))" }
                    ?? "no response"
            }
            do {
                let response = try await send(method, path, body: body)
                return response.contentFailure.map { "\($0.code), \(text(response))" } ?? text(response)
            } catch let error as TransportError {
                return "\(error.code), \(text(error.response))"
            } catch {
                return "\(error)"
            }
        }
    }
#endif
