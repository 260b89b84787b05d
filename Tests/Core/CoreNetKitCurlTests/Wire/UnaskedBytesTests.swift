#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// `.ci/proofs unasked-bytes` sets how many rounds.
    @Suite("The wire: unexpected bytes, at any moment", .timeLimit(.minutes(60)), .paced)
    struct UnaskedBytesTests {
        private static let rounds = TestRounds.count(40)

        /// When they come.
        private enum Moment: Int {
            /// Before the next call begins: they must be noticed.
            case before
            /// As the next call begins: a check just before cannot see them.
            case beside
        }

        /// What the server and the test tell each other.
        private struct Shared {
            /// When the last of those bytes reached the client's socket; 0 if they are still to come.
            var writtenAt: Int64 = 0
            var signal = Signal()
        }

        @Test("are never the response of a call that begins after them, nor of a second call")
        func idle() async throws {
            let shared = Locked(Shared())
            let peer = try RawPeer { _, connection in
                while let head = connection.head() {
                    let round = Int(head.split(separator: " ")[1].split(separator: "/").last ?? "") ?? 0
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: \("\(round)".utf8.count)\r\n\r\n\(round)")
                    guard head.hasPrefix("GET /first") else { continue }
                    // The server's idle limit, not the test's.
                    connection.isIdle(for: Int32(round / 2 % 25))
                    let signal = shared.withLock { $0.signal }
                    let moment = Moment(rawValue: round % 2)
                    if moment == .beside { signal.signal() }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign")
                    shared.withLock { $0.writtenAt = MonotonicTime.now() }
                    if moment == .before { signal.signal() }
                }
            }
            let transport = CurlTransport.made()
            // Those that come between the last look and the request: nobody can tell them from its response.
            var beside = 0
            for round in 0..<Self.rounds {
                let signal = Signal()
                shared.withLock { ($0.writtenAt, $0.signal) = (0, signal) }
                _ = try await transport.send(TransportRequest(url: url(peer.url.absoluteString + "first/\(round)")))
                await signal.wait()
                let begunAt = MonotonicTime.now()
                for turn in 0..<3 {
                    let method: HTTPMethod = round % 3 == 0 ? .post : .get
                    let place = url(peer.url.absoluteString + "next/\(round)")
                    let response = try await transport.send(TransportRequest(method: method, url: place))
                    guard response.body.data != Data("\(round)".utf8) else { continue }
                    let writtenAt = shared.withLock { $0.writtenAt }
                    #expect(turn == 0 && (writtenAt == 0 || writtenAt > begunAt), "round \(round), call \(turn)")
                    beside += 1
                }
            }
            if Self.rounds > 1000 {
                print("unasked bytes: \(Self.rounds) rounds, \(beside) of \(Self.rounds / 2) came beside the request")
            }
        }
    }
#endif
