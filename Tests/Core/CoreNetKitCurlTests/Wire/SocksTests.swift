#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("SOCKS; HTTP/1.1 alone, or as TLS agrees", .timeLimit(.minutes(10)), .paced)
    struct SocksTests {
        private static let credentials = CurlTransport.Configuration.Proxy.Credentials(user: "me", password: "secret")

        private func place(of peer: RawPeer, _ scheme: String = "socks5") -> URL {
            url("\(scheme)://127.0.0.1:\(peer.url.port ?? 0)")
        }

        /// A POST through the proxy that must fail before anything of it was sent.
        private func failure(
            _ peer: RawPeer,
            _ http: HTTPChoice,
            to target: String,
            limits: Timeouts = Timeouts()
        ) async -> TransportError? {
            let transport = http.transport { $0.proxy = .server(place(of: peer), credentials: Self.credentials) }
            let error = await transport.error(of: TransportRequest(method: .post, url: url(target), timeouts: limits))
            #expect(error?.phase == .connect && error?.isSafeToResend == true, "\(http), \(target): \(error as Any)")
            #expect(error.map { !"\($0)".contains("secret") } == true)
            #expect(!peer.requests.contains { $0.contains("HTTP") })
            return error
        }

        @Test(
            "a handshake that is cut at any byte is a proxy failure, and nothing was sent",
            arguments: HTTPChoice.all,
            [SocksPeer.End.close, .reset]
        )
        func cut(http: HTTPChoice, end: SocksPeer.End) async throws {
            for limit in 0..<14 {
                for target in ["http://there.invalid/", "https://there.invalid/"] {
                    let peer = try SocksPeer(method: [5, 2], limit: limit, end: end).start()
                    #expect(await failure(peer, http, to: target)?.code == .proxyFailed, "\(limit) bytes, \(target)")
                }
            }
        }

        static let refusals: [(String, SocksPeer)] =
            [
                ("no method fits", SocksPeer(method: [5, 0xFF])),
                ("a method that was not offered", SocksPeer(method: [5, 9])),
                ("wrong password", SocksPeer(method: [5, 2], login: [1, 1])),
                ("another version", SocksPeer(method: [4, 0])),
                ("another version in the reply", SocksPeer(reply: [4, 0, 0, 1, 0, 0, 0, 0, 0, 0])),
                ("an address of no kind", SocksPeer(reply: [5, 0, 0, 9, 0, 0, 0, 0, 0, 0])),
                ("words of HTTP", SocksPeer(method: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))),
            ] + (1...9).map { ("reply \($0)", SocksPeer(reply: [5, $0, 0, 1, 0, 0, 0, 0, 0, 0])) }

        @Test("what the proxy refuses, and what is no SOCKS, is a proxy failure", arguments: HTTPChoice.all)
        func refused(http: HTTPChoice) async throws {
            for (name, script) in Self.refusals {
                for target in ["http://there.invalid/", "https://there.invalid/"] {
                    let peer = try script.start()
                    #expect(await failure(peer, http, to: target)?.code == .proxyFailed, "\(name), \(target)")
                }
            }
        }

        @Test("a proxy that falls silent is ended by the limit of the connection", arguments: HTTPChoice.all)
        func silent(http: HTTPChoice) async throws {
            for limit in [0, 2, 4, 9] {
                let peer = try SocksPeer(method: [5, 2], limit: limit, end: .silence).start()
                let limits = Timeouts(connect: .milliseconds(200))
                let error = await failure(peer, http, to: "http://there.invalid/", limits: limits)
                #expect(error?.code == .timedOut, "\(limit) bytes")
            }
        }

        @Test("name and password are told where the proxy asks for them, and then only", arguments: HTTPChoice.all)
        func login(http: HTTPChoice) async throws {
            for (method, expected) in [(2, ["me:secret"]), (0, [])] as [(UInt8, [String])] {
                let peer = try SocksPeer(method: [5, method]).start()
                let transport = http.transport { $0.proxy = .server(place(of: peer), credentials: Self.credentials) }
                let response = try await transport.send(TransportRequest(url: url("http://there.invalid/a")))
                #expect(response.body.data == Data("ok".utf8))
                #expect(Array(peer.requests.prefix { !$0.hasPrefix("there") }) == expected)
                // The request is the same as without a proxy, and tells the server nothing of it.
                #expect(peer.requests.last?.hasPrefix("GET /a HTTP/1.1\r\nHost: there.invalid\r\n") == true)
                #expect(peer.requests.last?.lowercased().contains("proxy") == false)
            }
        }

        @Test(
            "names are resolved by the proxy under either scheme; addresses stay addresses",
            arguments: HTTPChoice.all
        )
        func names(http: HTTPChoice) async throws {
            let peer = try SocksPeer().start()
            for scheme in ["socks5", "socks5h"] {
                for (target, expected) in [
                    ("http://there.invalid/", "there.invalid 80"), ("http://there.invalid:81/", "there.invalid 81"),
                    ("http://127.0.0.9:82/", "[127, 0, 0, 9] 82"),
                    ("http://[::1]:83/", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] 83"),
                ] {
                    let transport = http.transport { $0.proxy = .server(place(of: peer, scheme)) }
                    _ = try await transport.send(TransportRequest(url: url(target)))
                    #expect(peer.requests.dropLast().last == expected, "\(scheme), \(target)")
                }
            }
        }

        @Test("a name with addresses of its own still goes to the proxy as a name", arguments: HTTPChoice.all)
        func ownAddresses(http: HTTPChoice) async throws {
            let peer = try SocksPeer().start()
            let transport = http.transport {
                ($0.proxy, $0.addresses) = (.server(place(of: peer)), ["there.invalid:80": ["192.0.2.1"]])
            }
            _ = try await transport.send(TransportRequest(url: url("http://there.invalid/")))
            #expect(peer.requests.first == "there.invalid 80")
        }

        @Test("hosts that are excepted are resolved here, and reached directly", arguments: HTTPChoice.all)
        func exceptions(http: HTTPChoice) async throws {
            let peer = try SocksPeer().start()
            let server = try LoopbackServer { _ in .text("server") }
            let transport = http.transport {
                $0.proxy = .server(place(of: peer), except: ["there.invalid"])
                $0.addresses = ["there.invalid:\(server.port)": ["127.0.0.1"]]
            }
            let target = url("http://there.invalid:\(server.port)/")
            #expect(try await transport.send(TransportRequest(url: target)).body.data == Data("server".utf8))
            #expect(peer.requests.isEmpty)
        }

        static let replies: [[UInt8]] = [
            [5, 0, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0, 0, 4] + [UInt8](repeating: 0, count: 18),
            [5, 0, 0, 3, 5] + Array("bound".utf8) + [0, 80],
        ]

        @Test("each kind of bound address is skipped, whole or byte by byte", arguments: HTTPChoice.all, replies)
        func bound(http: HTTPChoice, reply: [UInt8]) async throws {
            for isSlow in [false, true] {
                let peer = try SocksPeer(reply: reply, sendsByteByByte: isSlow).start()
                let transport = http.transport { $0.proxy = .server(place(of: peer)) }
                let response = try await transport.send(TransportRequest(url: url("http://there.invalid/")))
                #expect(response.body.data == Data("ok".utf8))
            }
        }
    }

    /// A SOCKS proxy (RFC 1928, RFC 1929) that is also the server behind it.
    struct SocksPeer: Sendable {
        /// How it ends the connection where it says no more.
        enum End: Sendable, CaseIterable {
            case close, reset, silence
        }

        /// What it says to the greeting: the version, and the method of authentication.
        var method: [UInt8] = [5, 0]
        /// What it says to name and password.
        var login: [UInt8] = [1, 0]
        /// What it says to the request for a connection: the version, the result, an address.
        var reply: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0, 80]
        /// How many of its bytes it sends in all before it ends the connection.
        var limit = Int.max
        var end = End.close
        var sendsByteByByte = false

        /// Starts it; it notes the name and password, the requested place, and the heads of requests.
        func start() throws -> RawPeer {
            try RawPeer { peer, connection in
                var left = limit
                func send(_ bytes: [UInt8]) -> Bool {
                    for part in sendsByteByByte ? bytes.map({ [$0] }) : [bytes] {
                        connection.write(Array(part.prefix(left)))
                        left -= min(left, part.count)
                    }
                    return left > 0
                }
                let isDone = shakeHands(peer, connection, send)
                if isDone, peer.head(of: connection) != nil {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    connection.awaitEnd()
                } else if end == .reset {
                    connection.breakOff()
                } else if end == .silence {
                    connection.awaitEnd()
                }
            }
        }

        private func shakeHands(_ peer: RawPeer, _ connection: RawPeer.Connection, _ send: ([UInt8]) -> Bool) -> Bool {
            let greeting = connection.read(2)
            guard greeting.count == 2 else { return false }
            _ = connection.read(Int(greeting[1]))
            guard limit > 0, send(method), method == [5, 0] || method == [5, 2] else { return false }
            if method[1] == 2 {
                let user = connection.read(connection.read(2).last.map { Int($0) } ?? 0)
                let password = connection.read(connection.read(1).last.map { Int($0) } ?? 0)
                peer.note(String(decoding: user, as: UTF8.self) + ":" + String(decoding: password, as: UTF8.self))
                guard send(login), login == [1, 0] else { return false }
            }
            let request = connection.read(4)
            guard request.count == 4 else { return false }
            let count = request[3] == 3 ? Int(connection.read(1).first ?? 0) : request[3] == 1 ? 4 : 16
            let address = connection.read(count)
            let port = connection.read(2)
            let place = request[3] == 3 ? String(decoding: address, as: UTF8.self) : "\(address)"
            peer.note("\(place) \(port.reduce(0) { $0 << 8 | Int($1) })")
            return send(reply) && reply.prefix(2) == [5, 0]
        }
    }
#endif
