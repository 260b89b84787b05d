#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: the URL that is sent", .timeLimit(.minutes(10)), .paced)
    struct URLTests {
        @Test("is this request's own, even if it is repeated because a kept connection was dead")
        func repeated() async throws {
            let server = try LoopbackServer { request in
                request.index % 2 == 1 ? .text("x").fault(.reset(.beforeStatus)) : .text(request.target)
            }
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = 1
            let transport = CurlTransport(configuration: configuration)
            for number in 0..<6 {
                let target = "/a/./b/../\(number)?x=\(number)%20&y"
                let response = try await transport.send(TransportRequest(url: server.url("/").appendingTarget(target)))
                #expect(response.body.data == Data(target.utf8))
            }
            #expect(server.requests.map(\.target).contains("/a/./b/../5?x=5%20&y"))
        }

        @Test(
            "keeps what libcurl could misinterpret",
            arguments: ["/%2e%2e/", "//x", "/?", "/a?b?c", "/;p"]
        )
        func exact(target: String) async throws {
            let server = try LoopbackServer { .text($0.target) }
            let transport = CurlTransport()
            for _ in 0..<2 {
                let place = server.url("/").appendingTarget(target)
                let response = try await transport.send(TransportRequest(url: place))
                #expect(response.body.data == Data(target.utf8))
            }
        }

        @Test("leaves a password for the server out of the target and the host")
        func credentials() async throws {
            let server = try LoopbackServer { .text($0.headers["Host"] ?? "") }
            let place = url("http://user:word@127.0.0.1:\(server.port)/x")
            let response = try await CurlTransport().send(TransportRequest(url: place))
            #expect(response.body.data == Data("127.0.0.1:\(server.port)".utf8))
            #expect(server.requests[0].target == "/x")
            #expect(server.requests[0].headers["Authorization"] == "Basic dXNlcjp3b3Jk")
        }

        @Test(
            "refuses a name and a password that would mean others to the server (RFC 7617, 2)",
            arguments: ["a%3Ab:word", "a%0D%0AX:word", "a:%00", "a%7F", "a%09:b", "%FF:b"],
            LaneKind.all
        )
        func badCredentials(userinfo: String, lane: LaneKind) async throws {
            let server = try LoopbackServer { _ in .ok }
            for host in ["127.0.0.1", "127.1"] {
                let place = url("http://\(userinfo)@\(host):\(server.port)/")
                let error = await #expect(throws: TransportError.self) {
                    try await lane.transport().send(TransportRequest(url: place))
                }
                #expect(error?.code == .invalidRequest && error?.message.contains("user name") == true)
            }
            #expect(server.counts.connections == 0)
        }
    }

    extension URL {
        fileprivate func appendingTarget(_ target: String) -> URL {
            CoreNetKitCurlTests.url(absoluteString.dropLast() + target)
        }
    }
#endif
