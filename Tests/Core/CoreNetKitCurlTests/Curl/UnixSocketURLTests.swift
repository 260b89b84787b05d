#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: URLs of Unix domain sockets", .timeLimit(.minutes(10)), .paced)
    struct UnixSocketURLTests {
        private let folder = "/tmp/curl-\(UInt32.random(in: .min ... .max))"

        private func url(_ path: String, _ rest: String = "/", isSecure: Bool = false) throws -> URL {
            let name = path.replacingOccurrences(of: "/", with: "%2F")
            return try #require(URL(string: "http\(isSecure ? "s" : "")+unix://\(name)\(rest)"))
        }

        private func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            change(&configuration)
            return CurlTransport(configuration: configuration)
        }

        private func body(_ response: TransportResponse) async throws -> String {
            String(decoding: try await response.body.collect(), as: UTF8.self)
        }

        @Test("one transport reaches sockets and the network, each over its own kept connection")
        func pools() async throws {
            let (first, second) = (folder + "-a.sock", folder + "-A.sock")
            let servers = try [first, second].map { path in
                try LoopbackServer(on: .unixSocket(path)) { .text("\(path) \($0.target) \($0.headers["Host"] ?? "")") }
            }
            let tcp = try LoopbackServer { .text("tcp \($0.target)") }
            let transport = transport()
            for round in 1...3 {
                for path in [first, second] {
                    let response = try await transport.send(TransportRequest(url: try url(path, "/v1?n=\(round)#part")))
                    #expect(try await body(response) == "\(path) /v1?n=\(round) localhost")
                    #expect(response.timings.isConnectionReused == (round > 1))
                }
                let response = try await transport.send(TransportRequest(url: tcp.url("/\(round)")))
                #expect(try await body(response) == "tcp /\(round)")
            }
            #expect((servers + [tcp]).map(\.counts.connections) == [1, 1, 1])
        }

        @Test("a path without a slash is the root, and a closed connection is opened again at the same socket")
        func again() async throws {
            let server = try LoopbackServer(on: .unixSocket(folder)) { .text($0.target).closing() }
            let transport = transport()
            for (rest, target) in [("", "/"), ("?a=b", "/?a=b"), ("/x", "/x")] {
                let response = try await transport.send(TransportRequest(url: try url(folder, rest)))
                #expect(try await body(response) == target)
            }
            #expect(server.counts.connections == 3)
        }

        @Test("bypasses proxies and the configuration's socket")
        func proxies() async throws {
            let server = try LoopbackServer(on: .unixSocket(folder)) { _ in .text("socket") }
            let proxy = try LoopbackServer { _ in .text("proxy") }
            for change: (inout CurlTransport.Configuration) -> Void in [
                { $0.proxy = .server(proxy.url) }, { $0.unixSocket = "/nowhere.sock" },
            ] {
                let response = try await transport(change).send(TransportRequest(url: try url(folder)))
                #expect(try await body(response) == "socket")
            }
            #expect(server.counts.connections == 2)
            #expect(proxy.counts.connections == 0)
        }

        @Test("without a listener there is no connection, and the error shows only as much of the path as a log may")
        func missing() async throws {
            let path = folder + "/token=canary/s"
            let error = await #expect(throws: TransportError.self) {
                let escaped = path.replacingOccurrences(of: "=", with: "%3D")
                return try await transport().send(TransportRequest(url: try url(escaped)))
            }
            #expect(error?.code == .cannotConnect)
            #expect(error?.isSafeToResend == true)
            #expect(error.map { !"\($0)".contains("canary") } == true, "\(String(describing: error))")
        }

        @Test("a path that no socket can have makes no URL")
        func invalid() async throws {
            for text in ["http+unix://run.sock/", "http+unix://%2Frun:80/"] {
                let url = try #require(URL(string: text))
                let error = await #expect(throws: TransportError.self) {
                    try await transport().send(TransportRequest(url: url))
                }
                #expect(error?.code == .invalidRequest)
            }
        }
    }
#endif
