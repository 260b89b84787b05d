#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitWire
    import Foundation
    import TestPace
    import Testing

    @Suite(
        "Wire: the same response over HTTP/1.1 and HTTP/2",
        .timeLimit(.minutes(10)),
        .paced,
        .enabled(if: HTTP2Session.isAvailable, "nghttp2 is not installed")
    )
    struct AlikeTests {
        private static let patient = Timeouts(
            connect: .seconds(60),
            firstByte: .seconds(60),
            idle: .seconds(60),
            total: .seconds(90)
        )

        /// What does not depend on the version: no reason, and no field of HTTP/1.1's framing.
        private struct Outcome: Equatable, CustomStringConvertible {
            var status = 0
            var fields: [String] = []
            var content = Data()
            var interim: [Int] = []
            /// Of an error, or of content that has failed after the head of a refusal.
            var failure: TransportError.Code?

            var description: String {
                let text = String(decoding: content.prefix(30), as: UTF8.self)
                return
                    "\(failure.map { "\($0)" } ?? "-") \(status) \(fields.joined(separator: "|").prefix(80)) \(text) \(interim)"
            }
        }

        private static func outcome(_ row: AlikeResponse, _ peer: RawPeer, _ transport: CurlTransport) async throws
            -> Outcome
        {
            do {
                let request = TransportRequest(method: row.method, url: peer.url, timeouts: patient)
                let response = try await transport.send(request)
                let fields = Array(response.headers) + Array(response.trailers)
                return Outcome(
                    status: response.status,
                    fields: fields.map { "\($0.name): \($0.value)" }.filter { !$0.hasPrefix("transfer-encoding: ") },
                    content: try await response.body.collect(),
                    interim: response.interim.map(\.status),
                    failure: response.contentFailure?.code
                )
            } catch let error as TransportError {
                return Outcome(failure: error.code)
            }
        }

        @Test(
            "has the same result, or HTTP/2 refuses it by a section",
            arguments: AlikeResponse.contents + AlikeResponse.heads
        )
        func alike(_ row: AlikeResponse) async throws {
            let first = try RawPeer { _, connection in row.play(onHTTP1: connection) }
            let second = try RawPeer { _, connection in row.play(onHTTP2: connection) }
            let expected = try await Self.outcome(row, first, CurlTransport())
            let outcome = try await Self.outcome(row, second, .plainHTTP2)
            if let section = row.differs {
                #expect(outcome.failure == section.code && outcome != expected, "\(section.rawValue): \(expected)")
            } else {
                #expect(outcome == expected)
            }
        }
    }
#endif
