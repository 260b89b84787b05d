#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import Foundation
    import TestPace
    import TestPrograms
    import Testing

    @Suite("Truncated responses over TLS", .timeLimit(.minutes(10)), .paced, .enabled(if: TLSCutter.isInstalled))
    struct TLSCutTests {
        /// How the server ends the connection.
        enum End: String, Sendable, CaseIterable {
            /// By an alert of TLS: there is no more.
            case notified
            /// Of TCP alone, as anybody on the way can.
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
            for lane in [CurlTransport.Configuration.HTTP1.own, .libcurl] {
                var configuration = CurlTransport.Configuration()
                (configuration.http1, configuration.httpVersion) = (lane, .http1)
                configuration.unixSocket = server.path
                configuration.tls.authorities = .pem(try Certificates.shared.get().data("ca.pem"))
                let transport = CurlTransport(configuration: configuration)
                for count in 0...text.utf8.count {
                    let place = url("https://good.test/\(message)/\(count)/\(end.rawValue)")
                    let outcome: Result<TransportResponse, any Error>
                    do {
                        outcome = .success(try await transport.send(TransportRequest(url: place)))
                    } catch {
                        outcome = .failure(error)
                    }
                    let isWhole = count == text.utf8.count
                    var isEnd = isWhole
                    // Older libcurl takes such content for whole, and content without the last line's end.
                    var isEither = false
                    if name == "close" {
                        isEnd = count >= headEnd && end == .notified
                        isEither = lane == .libcurl && count >= headEnd && end == .silent
                    }
                    if name == "chunked", lane == .libcurl { isEither = count == text.utf8.count - 1 }
                    switch outcome {
                    case .success(let response):
                        #expect(isEnd || isEither, "\(name), \(end), \(lane) after \(count) of \(text.utf8.count)")
                        let expected =
                            name == "close" ? String(text.utf8.prefix(count).dropFirst(headEnd)) : "hello"
                        #expect(response.body.data == expected.map { Data($0.utf8) })
                    case .failure(let error):
                        #expect(!isEnd || isEither, "\(name), \(end), \(lane) after \(count): \(error)")
                        #expect((error as? TransportError)?.code == .connectionLost, "\(error)")
                    }
                }
            }
        }
    }

    /// A server over TLS that sends the first bytes of a message and ends the connection, by Python's own library.
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
            def serve(raw):
                try:
                    raw.settimeout(10)
                    with context.wrap_socket(raw, server_side=True, suppress_ragged_eofs=False) as tls:
                        head = b""
                        while not head.endswith(b"\\r\\n\\r\\n"): head += tls.recv(1)
                        message, count, end = head.split(b" ")[1].decode()[1:].split("/")
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
            try Certificates.shared.get().copy(to: directory)
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

        deinit {
            end()
            try? FileManager.default.removeItem(at: directory)
        }
    }
#endif
