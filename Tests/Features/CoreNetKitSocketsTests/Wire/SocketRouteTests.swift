import CoreNetKitCurl
import CoreNetKitSockets
import TestPrograms
import TestSupport

#if os(Linux)
    @Suite("Sockets: ways to a server", .timeLimit(.minutes(10)), .paced)
    struct SocketRouteTests {
        private let path = FileManager.default.temporaryDirectory
            .appending(path: "socket-\(UInt32.random(in: .min ... .max))").path

        private func client(_ change: (inout CurlTransport.Configuration) -> Void) -> Client {
            var configuration = CurlTransport.Configuration()
            change(&configuration)
            return Client(seed: 1).set(transport: CurlTransport(configuration: configuration))
        }

        private func proxy(_ proxy: ConnectProxy) throws -> TransportProxy {
            .server(try #require(URL(string: "http://127.0.0.1:\(proxy.port)")))
        }

        /// Some messages there and back.
        private func talk(_ route: String, _ client: Client) async throws {
            let socket = try await UrlChainsBuilder<String>(client: client).route(.get, route).rawSocket().process()
            for message in [SocketMessage.text("Grüße"), .data(Data(count: 70_000)), .text("")] {
                try await socket.send(message)
                #expect(try await socket.next() == message)
            }
            #expect(try await socket.ping() < .seconds(10))
            #expect(try await socket.close(4000, "done") == SocketClose(4000))
        }

        @Test("ws+unix: leads through a Unix domain socket")
        func unix() async throws {
            let server = try LoopbackServer(on: .unixSocket(path)) { _ in .echo }
            let name = path.replacingOccurrences(of: "/", with: "%2F")
            try await talk("ws+unix://\(name)/socket", Client(seed: 1))
            #expect(server.requests.map(\.path) == ["/socket"])
        }

        @Test("an HTTP proxy is asked for a tunnel for ws: too (RFC 6455, 4.1)")
        func proxied() async throws {
            let server = try LoopbackServer(on: .unixSocket(path)) { _ in .echo }
            let relay = try ConnectProxy(to: path)
            let proxy = try proxy(relay)
            try await talk("ws://good.test/socket", client { $0.proxy = proxy })
            #expect(relay.asked == ["CONNECT good.test:80 HTTP/1.1"])
            #expect(server.requests.map(\.target) == ["/socket"])
        }

        @Test("the tunnel of ws: is its own: no other request takes it, and what the proxy is told the server is not")
        func tunnel() async throws {
            let server = try LoopbackServer(on: .unixSocket(path)) { request in
                request.path == "/socket" ? .status(401) : .text("page")
            }
            let relay = try ConnectProxy(to: path)
            let address = try #require(URL(string: "http://127.0.0.1:\(relay.port)"))
            let client = client { $0.proxy = .server(address, credentials: .init(user: "me", password: "secret")) }
            func load(_ path: String) async throws {
                try await UrlChainsBuilder<String>(client: client).route(.get, "http://good.test/" + path).build()
                    .process()
            }
            try await load("a")
            await expectFailure(.unauthorized) { try await talk("ws://good.test/socket", client) }
            try await load("b")
            #expect(server.requests.map(\.connection) == [0, 1, 0])
            #expect(server.requests.map(\.target) == ["http://good.test/a", "/socket", "http://good.test/b"])
            #expect(server.requests[1].headers["Proxy-Authorization"] == nil)
            #expect(relay.greetings.count == 2)
            #expect(relay.greetings.allSatisfy { $0.contains("\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n") })
        }

        @Test("a proxy that refuses the tunnel of ws: is a proxy failure, before anything went to the server")
        func refusedTunnel() async throws {
            let proxy = try LoopbackServer { _ in .status(403) }
            let (error, _) = await socketFailure {
                try await talk("ws://good.test/socket", client { $0.proxy = .server(proxy.url) })
            }
            #expect(error?.code == .proxyFailed && error?.isSafeToResend == true)
            #expect(proxy.requests.map(\.method) == [.connect])
        }

        @Test(
            "wss: needs a certificate that is trusted, straight and in a proxy's tunnel",
            .enabled(if: NginxServer.isInstalled, "needs /usr/sbin/nginx and openssl"),
            arguments: [false, true]
        )
        func secure(_ isProxied: Bool) async throws {
            let server = try LoopbackServer(on: .unixSocket(path)) { _ in .echo }
            let nginx = try NginxServer(
                """
                server {
                    listen unix:DIR/tls ssl;
                    location / {
                        proxy_pass http://unix:\(path); proxy_http_version 1.1;
                        proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
                    }
                }
                """
            )
            let (front, authority) = (nginx.path("tls"), try TestCertificates.shared.get().data("ca.pem"))
            let relay = try ConnectProxy(to: front)
            let proxy = try proxy(relay)
            let way = { @Sendable (configuration: inout CurlTransport.Configuration) in
                if isProxied { configuration.proxy = proxy } else { configuration.unixSocket = front }
            }
            let trusting = client {
                way(&$0)
                $0.tls.authorities = .pem(authority)
            }
            try await talk("wss://good.test/socket", trusting)
            #expect(server.requests.count == 1)
            await expectFailure(.certificateUntrusted) { try await talk("wss://good.test/socket", client(way)) }
            await expectFailure(.certificateWrongHost) { try await talk("wss://other.test/socket", trusting) }
            #expect(server.requests.count == 1)
            if isProxied { #expect(relay.asked.first?.hasPrefix("CONNECT good.test:443 ") == true) }
        }
    }
#endif
