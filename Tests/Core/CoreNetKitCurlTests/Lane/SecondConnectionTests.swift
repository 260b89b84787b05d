#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    @Suite("Lane of the wire: a second connection for one exchange", .timeLimit(.minutes(10)), .paced)
    struct SecondConnectionTests {
        /// A SOCKS proxy that is also the server: it delays the second connection.
        @Test("a connection's limit starts with that connection")
        func limit() async throws {
            let peer = try RawPeer { peer, connection in
                let methods = connection.read(2)
                _ = connection.read(Int(methods.last ?? 0))
                connection.write([5, 0])
                // An IPv4 address and a port.
                guard connection.read(10).count == 10 else { return }
                if connection.index == 1 { connection.isIdle(for: 300) }
                connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                var count = 0
                while let head = connection.head() {
                    peer.note(head)
                    count += 1
                    // Longer than the limit, and then the end.
                    if connection.index == 0, count == 2, connection.isIdle(for: 1_900) { return }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
            }
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .server(url("socks5://127.0.0.1:\(peer.url.port ?? 0)"))
            let transport = CurlTransport(configuration: configuration)
            var request = TransportRequest(url: url("http://127.0.0.1:1/"))
            request.timeouts.connect = .seconds(1)
            _ = try await transport.send(request)
            #expect(try await transport.send(request).status == 200)
            #expect(peer.requests.count == 3)
        }
    }
#endif
