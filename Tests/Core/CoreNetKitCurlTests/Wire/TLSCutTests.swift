#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Truncated responses over TLS", .timeLimit(.minutes(10)), .paced, .enabled(if: TLSCutter.isInstalled))
    struct TLSCutTests {
        /// How the server ends the connection.
        enum End: String, Sendable, CaseIterable {
            /// By a TLS alert: there is no more.
            case notified
            /// Of TCP only, as anybody on the way can do.
            case silent
        }

        static let head = "HTTP/1.1 200 OK\r\n"
        static let messages: [(name: String, text: String)] = [
            ("length", head + "Content-Length: 5\r\n\r\nhello"),
            ("chunked", head + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n"),
            ("close", head + "Connection: close\r\n\r\nhello"),
        ]

        @Test(
            "are whole or lost at each byte; an end that only TCP reports delimits nothing (RFC 9112, 9.8)",
            arguments: messages.indices,
            End.allCases
        )
        func cut(message: Int, end: End) async throws {
            let server = try TLSCutter(Self.messages.map(\.text))
            let (name, text) = Self.messages[message]
            let headEnd =
                text.utf8.count
                - (text.components(separatedBy: "\r\n\r\n")[1...].joined(separator: "\r\n\r\n").utf8.count)
            let transport = try server.transport { $0.httpVersion = .http1 }
            for count in 0...text.utf8.count {
                let place = url("https://good.test/\(message)/\(count)/\(end.rawValue)")
                let outcome = await Result { try await transport.send(TransportRequest(url: place)) }
                let isWhole = count == text.utf8.count
                var isEnd = isWhole
                if name == "close" { isEnd = count >= headEnd && end == .notified }
                switch outcome {
                case .success(let response):
                    #expect(isEnd, "\(name), \(end) after \(count) of \(text.utf8.count)")
                    let expected = name == "close" ? String(text.utf8.prefix(count).dropFirst(headEnd)) : "hello"
                    #expect(response.body.data == expected.map { Data($0.utf8) })
                case .failure(let error):
                    #expect(!isEnd, "\(name), \(end) after \(count): \(error)")
                    #expect((error as? TransportError)?.code == .connectionLost, "\(error)")
                }
            }
        }
    }

    /// A server over TLS without ALPN, by Python's own library, that sends the first bytes of a message and ends the
    /// connection: a path is the message, how many bytes, the end, and how much is read before: `/0/100/silent/5000`.
    final class TLSCutter: Sendable {
        static let isInstalled: Bool = {
            guard NginxServer.isInstalled else { return false }
            return (try? Command.run("/usr/bin/env", ["python3", "-c", "import ssl"])) != nil
        }()

        private static let script = """
            import signal, socket, ssl, sys, threading
            signal.alarm(300)
            directory, messages = sys.argv[1], [m.encode() for m in sys.argv[2:]]
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(directory + "/good.pem", directory + "/good.key")
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(directory + "/tls")
            listener.listen(64)
            seen = []
            def serve(raw):
                try:
                    raw.settimeout(10)
                    with context.wrap_socket(raw, server_side=True, suppress_ragged_eofs=False) as tls:
                        head = b""
                        while not head.endswith(b"\\r\\n\\r\\n"): head += tls.recv(1)
                        path = head.split(b" ")[1].decode()
                        if path == "/seen":
                            tls.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\n%03d" % len(seen))
                            return
                        seen.append(head)
                        message, count, end, reads = (path[1:] + "/0").split("/")[:4]
                        left = int(reads)
                        while left:
                            got = len(tls.recv(left))
                            if not got: break
                            left -= got
                        if int(count): tls.sendall(messages[int(message)][:int(count)])
                        if end == "notified":
                            tls.setblocking(False)
                            try: tls.unwrap()
                            except OSError: pass
                except Exception: pass
            def accept():
                while True:
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
            threading.Thread(target=accept, daemon=True).start()
            print("up", flush=True)
            sys.stdin.read()
            """

        let path: String
        private let directory: URL
        private let end: @Sendable () -> Void

        init(_ messages: [String]) throws {
            directory = FileManager.default.temporaryDirectory.appending(
                path: "cut-\(UInt32.random(in: .min ... .max))"
            )
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try TestCertificates.shared.get().copy(to: directory)
            path = directory.appending(path: "tls").path
            let process = Process()
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-c", Self.script, directory.path] + messages
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            _ = output.fileHandleForReading.availableData
            let writing = input.fileHandleForWriting
            end = { try? writing.close() }
        }

        /// A transport of which no server is known yet.
        func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws -> CurlTransport {
            try HTTPChoice(version: .automatic).trusting {
                $0.unixSocket = path
                change(&$0)
            }
        }

        /// How many requests it has received.
        func seen() async throws -> Int? {
            let transport = try transport { $0.httpVersion = .http1 }
            let response = try await transport.send(TransportRequest(url: url("https://good.test/seen")))
            return response.body.data.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        }

        deinit {
            end()
            try? FileManager.default.removeItem(at: directory)
        }
    }
#endif
