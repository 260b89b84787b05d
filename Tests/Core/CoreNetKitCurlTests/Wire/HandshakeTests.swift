#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import Glibc
    import TestPrograms

    @Suite("TLS handshakes that break; HTTP/1.1 alone, or as TLS agrees", .needsNginx, .timeLimit(.minutes(10)), .paced)
    struct HandshakeTests {
        static let versions = ["TLSv1.2", "TLSv1.3"]
        /// Of how many records the server's part of a first handshake consists, in either version.
        private static let records = 6
        private static let cuts = HandshakeRelay.Part.allCases.flatMap { part in
            [HandshakeRelay.End.close, .reset].map { (part, $0) }
        }

        private func server(_ version: String) throws -> NginxServer {
            try NginxServer(
                "server { listen unix:DIR/tls ssl; ssl_protocols \(version); location / { return 200 ok; } }"
            )
        }

        private func transport(_ peer: RawPeer, _ http: HTTPChoice) throws -> CurlTransport {
            try http.trusting { $0.addresses = ["good.test:\(peer.url.port ?? 0)": ["127.0.0.1"]] }
        }

        private func request(_ peer: RawPeer, _ limits: Timeouts = Timeouts()) -> TransportRequest {
            TransportRequest(method: .post, url: url("https://good.test:\(peer.url.port ?? 0)/"), timeouts: limits)
        }

        private func error(
            _ peer: RawPeer,
            _ http: HTTPChoice,
            _ limits: Timeouts = Timeouts()
        ) async throws -> TransportError? { try await transport(peer, http).error(of: request(peer, limits)) }

        @Test(
            "a handshake that ends at any record, between and inside of them, is tlsFailed, and nothing was sent",
            arguments: HTTPChoice.all,
            versions
        )
        func cut(http: HTTPChoice, version: String) async throws {
            let nginx = try server(version)
            for record in 0..<Self.records {
                for (part, end) in Self.cuts {
                    let relay = HandshakeRelay(server: nginx.path("tls"), record: record, part: part, end: end)
                    let what: Comment = "\(part) of record \(record), \(end)"
                    let error = try await error(relay.start(), http)
                    #expect(error?.code == .tlsFailed && error?.phase == .tls, what)
                    #expect(error?.isSafeToResend == true, what)
                }
            }
            withExtendedLifetime(nginx) {}
        }

        @Test("behind the handshake the request has perhaps been seen", arguments: HTTPChoice.all, versions)
        func behind(http: HTTPChoice, version: String) async throws {
            let nginx = try server(version)
            for (part, end) in Self.cuts {
                let relay = HandshakeRelay(server: nginx.path("tls"), record: Self.records, part: part, end: end)
                let error = try #require(try await error(relay.start(), http), "\(part), \(end)")
                #expect(error.code == .connectionLost, "\(part), \(end): \(error)")
                #expect([.send, .wait, .receive].contains(error.phase), "\(part), \(end): \(error)")
                // The end may be noticed before anything was written.
                #expect(error.phase == .send || !error.isSafeToResend, "\(part), \(end): \(error)")
            }
            withExtendedLifetime(nginx) {}
        }

        @Test("a server that falls silent is ended by the limit of the connection", arguments: HTTPChoice.all, versions)
        func silence(http: HTTPChoice, version: String) async throws {
            let nginx = try server(version)
            for record in [0, 1, Self.records - 1] {
                let relay = HandshakeRelay(server: nginx.path("tls"), record: record, part: .half, end: .silence)
                let limits = Timeouts(connect: .milliseconds(500))
                let error = try #require(try await error(relay.start(), http, limits), "\(record)")
                #expect(error.code == .timedOut && error.phase == .tls && error.isSafeToResend, "\(record): \(error)")
            }
            withExtendedLifetime(nginx) {}
        }

        @Test("a handshake that is passed on whole succeeds", arguments: HTTPChoice.all, versions)
        func whole(http: HTTPChoice, version: String) async throws {
            let nginx = try server(version)
            let relay = HandshakeRelay(server: nginx.path("tls"), record: .max, part: .nothing, end: .close)
            let peer = try relay.start()
            #expect(try await transport(peer, http).send(request(peer)).body.data == Data("ok".utf8))
            withExtendedLifetime(nginx) {}
        }

        static let refusals: [(String, [UInt8])] = [
            ("close_notify", alert(1, 0)), ("handshake_failure", alert(2, 40)), ("protocol_version", alert(2, 70)),
            ("internal_error", alert(2, 80)), ("unrecognized_name", alert(2, 112)),
            ("no_application_protocol", alert(2, 120)), ("an alert of no kind", alert(2, 255)),
            ("garbage", Array("garbage\r\n\r\n".utf8)),
            ("words of HTTP", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
            ("a record of nothing", [22, 3, 3, 0, 0]), ("a record too large", [22, 3, 3, 255, 255]),
            ("content without a handshake", [23, 3, 3, 0, 3, 1, 2, 3]),
        ]

        private static func alert(_ level: UInt8, _ code: UInt8) -> [UInt8] { [21, 3, 3, 0, 2, level, code] }

        @Test("what the server says instead of its hello is tlsFailed, and nothing was sent", arguments: HTTPChoice.all)
        func refused(http: HTTPChoice) async throws {
            for (name, bytes) in Self.refusals {
                let peer = try RawPeer { _, connection in
                    let header = connection.read(5)
                    guard header.count == 5 else { return }
                    _ = connection.read(Int(header[3]) << 8 | Int(header[4]))
                    connection.write(bytes)
                    shutdown(connection.descriptor, Int32(SHUT_WR))
                    connection.awaitEnd()
                }
                let error = try #require(try await error(peer, http), "\(name)")
                #expect(error.code == .tlsFailed, "\(name): \(error)")
                #expect(error.phase == .tls && error.isSafeToResend, "\(name): \(error)")
            }
        }

        @Test("one that hangs does not keep another call to the server waiting for its limit")
        func hung() async throws {
            let nginx = try server("TLSv1.3")
            let relay = HandshakeRelay(server: nginx.path("tls"), record: .max, part: .nothing, end: .close)
            let peer = try relay.start(silent: 1)
            let transport = try transport(peer, HTTPChoice(version: .automatic))
            var request = request(peer, Timeouts(connect: .seconds(60), firstByte: nil, idle: nil, total: nil))
            request.method = .get
            let calls = (0..<2).map { [request] _ in Task { try await transport.send(request) } }
            let first = await withTaskGroup(of: TransportTimings?.self) { group in
                for call in calls { group.addTask { try? await call.value.timings } }
                defer { for call in calls { call.cancel() } }
                return await group.next() ?? nil
            }
            let total = try #require(first?.total)
            #expect(total > .milliseconds(900) && total < .seconds(20), "\(total)")
        }
    }

    /// Passes bytes between a client and a TLS server, and ends the connection at one of its records (RFC 8446, 5.1).
    struct HandshakeRelay: Sendable {
        enum End: Sendable, CaseIterable {
            case close, reset
            /// Not at all: it sends nothing more.
            case silence
        }

        enum Part: Sendable, CaseIterable {
            case nothing, header, half
        }

        let server: String
        let record: Int
        let part: Part
        let end: End

        /// Starts it; the first `silent` connections are kept open without a word.
        func start(silent: Int = 0) throws -> RawPeer {
            try RawPeer { peer, connection in
                guard connection.index >= silent else { return connection.awaitEnd() }
                let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                defer { close(upstream) }
                guard connect(upstream) else { return }
                let isOver = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    pass(from: connection.descriptor, to: upstream)
                    shutdown(upstream, Int32(SHUT_RDWR))
                    isOver.signal()
                }
                let far = RawPeer.Connection(descriptor: upstream, index: 0)
                for index in 0... {
                    let header = far.read(5)
                    guard header.count == 5 else { break }
                    let bytes = header + far.read(Int(header[3]) << 8 | Int(header[4]))
                    guard index < record else {
                        let count = part == .nothing ? 0 : part == .header ? 3 : bytes.count / 2
                        connection.write(Array(bytes.prefix(count)))
                        peer.note("cut")
                        break
                    }
                    connection.write(bytes)
                }
                switch end {
                case .close: shutdown(connection.descriptor, Int32(SHUT_RDWR))
                case .reset:
                    connection.breakOff()
                    shutdown(connection.descriptor, Int32(SHUT_RD))
                case .silence: break
                }
                isOver.wait()
            }
        }

        private func connect(_ descriptor: Int32) -> Bool {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.utf8.prefix($0.count - 1)) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) == 0 }
            }
        }

        private func pass(from client: Int32, to server: Int32) {
            var bytes = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                let count = recv(client, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                RawPeer.Connection(descriptor: server, index: 0).write(Array(bytes[..<count]))
            }
        }
    }
#endif
