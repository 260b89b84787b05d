#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import Foundation
    import TestPace
    import Testing

    @Suite("Lane of the wire: the same bytes, collected and streamed", .timeLimit(.minutes(10)), .paced)
    struct DifferentialTests {
        private static let patient = Timeouts(
            connect: .seconds(60),
            firstByte: .seconds(60),
            idle: .seconds(60),
            total: .seconds(90)
        )

        /// Sends what the path names: a row, and how many of its bytes.
        private static func peer(_ rows: [PlayedResponse]) throws -> RawPeer {
            try RawPeer { _, connection in
                guard let head = connection.head() else { return }
                let numbers = head.split(separator: " ")[1].split(separator: "/").compactMap { Int($0) }
                let bytes = rows[numbers[0]].bytes
                connection.write(numbers.count > 1 ? Array(bytes.prefix(numbers[1])) : bytes)
            }
        }

        private static func outcome(
            _ row: PlayedResponse,
            _ path: String,
            _ peer: RawPeer,
            _ transport: CurlTransport,
            _ delivery: ResponseDelivery = .collect
        ) async -> LaneOutcome {
            let request = TransportRequest(
                method: row.method,
                url: url(peer.url.absoluteString + path),
                timeouts: patient,
                delivery: delivery
            )
            return await LaneOutcome(request, transport)
        }

        @Test("each has a name of its own")
        func names() {
            let rows = PlayedResponse.all
            #expect(Set(rows.map(\.name)).count == rows.count)
        }

        @Test("a stream has the same content as a collected response")
        func sameStream() async throws {
            let rows = PlayedResponse.all
            let peer = try Self.peer(rows)
            let own = CurlTransport.made()
            for (index, row) in rows.enumerated() {
                let collected = await Self.outcome(row, "\(index)", peer, own)
                let streamed = await Self.outcome(row, "\(index)", peer, own, .stream)
                #expect(collected == streamed, "\(row.name)")
            }
        }

    }
#endif
