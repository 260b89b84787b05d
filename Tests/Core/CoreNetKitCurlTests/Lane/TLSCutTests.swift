#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import Foundation
    import TestPace
    import Testing

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
                let outcome: Result<TransportResponse, any Error>
                do {
                    outcome = .success(try await transport.send(TransportRequest(url: place)))
                } catch {
                    outcome = .failure(error)
                }
                let isWhole = count == text.utf8.count
                var isEnd = isWhole
                if name == "close" { isEnd = count >= headEnd && end == .notified }
                switch outcome {
                case .success(let response):
                    #expect(isEnd, "\(name), \(end) after \(count) of \(text.utf8.count)")
                    let expected =
                        name == "close" ? String(text.utf8.prefix(count).dropFirst(headEnd)) : "hello"
                    #expect(response.body.data == expected.map { Data($0.utf8) })
                case .failure(let error):
                    #expect(!isEnd, "\(name), \(end) after \(count): \(error)")
                    #expect((error as? TransportError)?.code == .connectionLost, "\(error)")
                }
            }
        }
    }
#endif
