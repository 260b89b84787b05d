#if os(Linux)
    import TestSupport
    import CoreNetKitCurl
    import CoreNetKitSockets
    import TestPrograms

    @Suite(
        "Sockets on streams of HTTP/2 (RFC 8441)",
        .timeLimit(.minutes(10)),
        .enabled(if: ForeignPeer.hasHTTP2, "run by .ci/peers/run sockets"),
        .serialized,
        .paced
    )
    struct HTTP2SocketTests {
        private let peer: ForeignPeer
        private let transport: CurlTransport
        private let client: Client
        private var address: String { peer.url.replacing("ws://", with: "wss://") }

        init() throws {
            let certificates = try TestCertificates(name: "IP:127.0.0.1")
            peer = try ForeignPeer(certificates)
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .pem(certificates.data("ca.pem"))
            transport = CurlTransport(configuration: configuration)
            client = Client(seed: 1).set(transport: transport)
        }

        private func open(_ path: String = "") async throws -> Socket<SocketMessage, SocketMessage> {
            try await UrlChainsBuilder<String>(client: client).route(.get, address + path)
                .raw { ($0.protocols, $0.messageLimit) = (["echo"], 2 << 20) }.process()
        }

        private func get() async throws {
            let url = address.replacing("wss://", with: "https://")
            let text: String = try await UrlChainsBuilder<String>(client: client).route(.get, url).build().process()
            #expect(text == "ok")
        }

        @Test("a socket to a server that has a connection of HTTP/2 is a stream of it")
        func shares() async throws {
            try await get()
            let sockets = [try await open(), try await open()]
            try await get()
            for socket in sockets {
                #expect(socket.selectedProtocol == "echo")
                try await socket.send(.text("version"))
                #expect(try await socket.next() == .text("2"))
            }
            #expect(await transport.statistics().handshakes == 1)
            for socket in sockets { await socket.close() }
            try await get()
            #expect(await transport.statistics().handshakes == 1)
        }

        @Test("the first connection to a server carries its socket by HTTP/1.1")
        func first() async throws {
            let socket = try await open()
            try await socket.send(.text("version"))
            #expect(try await socket.next() == .text("1.1"))
            await socket.close()
        }

        @Test("texts and bytes of every size come back, beside others on the connection")
        func echo() async throws {
            try await get()
            try await concurrently(4) { _ in
                let socket = try await open()
                try await socket.expectEcho([0, 1, 125, 126, 65535, 65536, 1 << 20])
                await socket.close()
            }
            #expect(await transport.statistics().handshakes == 1)
        }

        @Test("a close of either side has its code, and leaves the connection")
        func closes() async throws {
            try await get()
            let ours = try await open()
            #expect(try await ours.close(4001, "tschüs").code == 4001)
            let theirs = try await open()
            #expect(await transport.statistics().handshakes == 1)
            try await theirs.send(.text("close 3000"))
            let (error, cause) = await socketFailure { _ = try await theirs.next() }
            #expect(error?.code == .reportedByServer)
            #expect(cause?.close == SocketClose(3000, "as asked", isFromPeer: true))
            // hypercorn 0.18 ends the connection if our reply to its close comes after it has forgotten the stream (a KeyError).
            try await get()
        }

        @Test("a server that refuses the handshake has refused it, and the connection stays")
        func refused() async throws {
            try await get()
            let (error, _) = await socketFailure { _ = try await open("refused") }
            #expect(error?.response?.status == 403)
            try await get()
            #expect(await transport.statistics().handshakes == 1)
        }

        @Test("a call that is cancelled ends its stream alone")
        func cancelled() async throws {
            try await get()
            let socket = try await open()
            let reading = Task { return try await socket.next() }
            reading.cancel()
            _ = await reading.result
            try await get()
            #expect(await transport.statistics().handshakes == 1)
            await socket.close()
        }
    }
#endif
