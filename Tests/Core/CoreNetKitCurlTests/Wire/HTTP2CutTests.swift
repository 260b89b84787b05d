#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: truncated HTTP/2 content", .timeLimit(.minutes(10)), .paced)
    struct HTTP2CutTests {
        /// How a stream, or its connection, ends after part of the content, without the end mark (RFC 9113, 8.1).
        enum Cut: String, Sendable, CaseIterable {
            case resetWithoutError, resetWithError
            case dataOnStreamZero, garbage, badSettings, tooLargeFrame, close

            func play(_ peer: HTTP2Peer, _ stream: UInt32) {
                switch self {
                case .resetWithoutError: peer.reset(stream, 0)
                case .resetWithError: peer.reset(stream, 2)
                case .dataOnStreamZero: peer.data("x", on: 0)
                case .garbage: peer.connection.write([UInt8](repeating: 0xFF, count: 300))
                case .badSettings: peer.send(HTTP2Peer.Kind.settings, payload: [1])
                case .tooLargeFrame:
                    peer.send(HTTP2Peer.Kind.data, on: stream, payload: [UInt8](repeating: 0x2A, count: 1 << 20))
                case .close: return
                }
                peer.connection.awaitEnd()
            }
        }

        static let deliveries: [ResponseDelivery] = [.collect, .stream]

        private func outcome(_ peer: RawPeer, _ delivery: ResponseDelivery) async -> LaneOutcome {
            let limits = Timeouts(connect: .seconds(30), firstByte: .seconds(5), idle: .seconds(5))
            return await LaneOutcome(
                TransportRequest(url: peer.url, timeouts: limits, delivery: delivery),
                .plainHTTP2
            )
        }

        @Test("without a length is an error", arguments: Cut.allCases, deliveries)
        func cut(_ cut: Cut, delivery: ResponseDelivery) async throws {
            let peer = try RawPeer { _, connection in
                guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                peer.head(200, on: stream)
                peer.data("abc", on: stream)
                cut.play(peer, stream)
            }
            switch await outcome(peer, delivery) {
            case .response(let response): Issue.record("\(cut): \(response)")
            case .failure(let code):
                #expect([.connectionLost, .http2Failed, .timedOut, .invalidResponse].contains(code), "\(cut): \(code)")
            case .other(let text): Issue.record("\(cut): \(text)")
            }
        }

        @Test("with a length is an error", arguments: Cut.allCases, deliveries)
        func cutWithLength(_ cut: Cut, delivery: ResponseDelivery) async throws {
            let peer = try RawPeer { _, connection in
                guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                peer.head(200, [("content-length", "10")], on: stream)
                peer.data("abc", on: stream)
                cut.play(peer, stream)
            }
            let outcome = await outcome(peer, delivery)
            guard case .failure = outcome else {
                Issue.record("\(cut): \(outcome)")
                return
            }
        }

        @Test("that arrived whole is delimited, whatever its head says (RFC 9113, 8.1)")
        func whole() async throws {
            let gzip = Gzip.zeros(100)
            let peer = try RawPeer { _, connection in
                guard let peer = HTTP2Peer(connection) else { return }
                var number = connection.index
                while let stream = peer.request() {
                    switch number {
                    case 0: peer.head(200, [("content-length", "3")], on: stream)
                    case 1: peer.head(204, on: stream, ends: true)
                    case 2: peer.head(200, [("content-encoding", "gzip")], on: stream)
                    default: peer.head(200, on: stream)
                    }
                    if number == 2 {
                        peer.send(HTTP2Peer.Kind.data, flags: HTTP2Peer.end, on: stream, payload: Array(gzip))
                    } else if number != 1 {
                        peer.data("abc", on: stream, ends: true)
                    }
                    number += 1
                }
            }
            let transport = CurlTransport.plainHTTP2
            for size in [3, 0, 100, 3] {
                let response = try await transport.send(TransportRequest(url: peer.url))
                #expect(response.body.data?.count == size)
                #expect(response.isDelimited, "\(response.status), \(size) bytes")
            }
        }

        @Test(
            "is the server's failure if it resets the stream, and an invalid response if the client does",
            arguments: [true, false]
        )
        func blame(byServer: Bool) async throws {
            let peer = try RawPeer { _, connection in
                guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                peer.head(200, [("content-length", "1")], on: stream)
                if byServer { peer.reset(stream, 1) } else { peer.data("abc", on: stream) }
                peer.connection.awaitEnd()
            }
            #expect(await outcome(peer, .collect) == .failure(byServer ? .http2Failed : .invalidResponse))
        }
    }
#endif
