#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import Foundation
    import TestPace
    import Testing

    @Suite("Lanes: the same bytes through both", .timeLimit(.minutes(10)), .paced)
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

        @Test("give the same response or the same error, or an RFC section says which is right")
        func sameOutcome() async throws {
            let rows = PlayedResponse.all
            let peer = try Self.peer(rows)
            let (own, theirs) = (CurlTransport.lane(.own), CurlTransport.lane(.libcurl))
            for (index, row) in rows.enumerated() {
                let mine = await Self.outcome(row, "\(index)", peer, own)
                let other = await Self.outcome(row, "\(index)", peer, theirs)
                if let section = row.section {
                    // Newer ones have become as strict in some.
                    guard !CurlLibrary.forgetsHeads else { continue }
                    #expect(mine != other, "\(row.name): the same now, its section may go: \(section.rawValue)")
                } else {
                    #expect(mine == other, "\(row.name)")
                }
            }
        }

        @Test("a stream has the same content as a collected response")
        func sameStream() async throws {
            let rows = PlayedResponse.all
            let peer = try Self.peer(rows)
            let own = CurlTransport.lane(.own)
            for (index, row) in rows.enumerated() {
                let collected = await Self.outcome(row, "\(index)", peer, own)
                let streamed = await Self.outcome(row, "\(index)", peer, own, .stream)
                #expect(collected == streamed, "\(row.name)")
            }
        }

        @Test("also if cut at each byte", arguments: PlayedResponse.right.indices)
        func cut(index: Int) async throws {
            let row = PlayedResponse.right[index]
            let peer = try Self.peer(PlayedResponse.right)
            let (own, theirs) = (CurlTransport.lane(.own), CurlTransport.lane(.libcurl))
            let count = row.bytes.count
            for end in 0..<count {
                let mine = await Self.outcome(row, "\(index)/\(end)", peer, own)
                let other = await Self.outcome(row, "\(index)/\(end)", peer, theirs)
                // RFC 9112, 7.1: the message ends with CR LF; libcurl does not need the last byte.
                if row.name == "chunks", end == count - 1, mine == .failure(.connectionLost) { continue }
                // RFC 9112, 2.1: a head ends with an empty line; newer libcurl accepts a CR for it.
                if CurlLibrary.forgetsHeads, mine == .failure(.connectionLost),
                    row.bytes.prefix(end).suffix(3).elementsEqual([13, 10, 13])
                {
                    continue
                }
                if mine != other { Issue.record("\(row.name), \(end) of \(count): \(mine), libcurl: \(other)") }
            }
        }
    }
#endif
