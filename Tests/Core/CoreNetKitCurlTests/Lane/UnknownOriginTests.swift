#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    /// A server over TLS that agrees on no protocol speaks HTTP/1.1; what it says first is judged as all that follows.
    @Suite(
        "Lane of the wire: the first exchange with a server over TLS without ALPN",
        .timeLimit(.minutes(10)),
        .paced,
        .enabled(if: TLSCutter.isInstalled)
    )
    struct UnknownOriginTests {
        private static let patient = Timeouts(
            connect: .seconds(60),
            firstByte: .seconds(60),
            idle: .seconds(60),
            total: .seconds(90)
        )

        @Test("garbage that comes while a body is sent is not safe to resend", arguments: LaneUploadTests.Kind.allCases)
        func garbage(kind: LaneUploadTests.Kind) async throws {
            let replies = ["garbage", "<html>\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n"]
            let server = try TLSCutter(replies)
            for (index, reply) in replies.enumerated() {
                let place = url("https://good.test/\(index)/\(reply.utf8.count)/silent/100000")
                let error = await #expect(throws: TransportError.self) {
                    try await server.transport().send(TransportRequest(method: .post, url: place, body: kind.body))
                }
                // libcurl may notice first that it cannot send any more.
                let isUnread = error?.code == .connectionLost && error?.phase == .send
                #expect(isUnread || error?.code == .invalidResponse, "\(reply)")
                #expect(isUnread || error?.phase == .receive, "\(reply)")
                #expect(error?.isSafeToResend == false, "\(reply)")
            }
            #expect(try await server.seen() == replies.count)
        }

        @Test("each response has the same outcome at the first exchange, at later ones, and without TLS")
        func alike() async throws {
            let rows = PlayedResponse.all
            let server = try TLSCutter(rows.map(\.text))
            let peer = try RawPeer { _, connection in
                guard let head = connection.head() else { return }
                connection.write(
                    rows[head.split(separator: " ")[1].dropFirst().split(separator: "/").compactMap { Int($0) }[0]]
                        .bytes
                )
            }
            let (later, plain) = (try server.transport(), CurlTransport())
            // The server of TLS is given text.
            for (index, row) in rows.enumerated() where !row.bytes.contains(0) && row.bytes == Array(row.text.utf8) {
                let path = "\(index)/\(row.text.utf8.count)/notified"
                func request(_ base: String) -> TransportRequest {
                    TransportRequest(method: row.method, url: url(base + path), timeouts: Self.patient)
                }
                let expected = await LaneOutcome(request(peer.url.absoluteString), plain)
                for transport in [try server.transport(), later, later] {
                    let outcome = await LaneOutcome(request("https://good.test/"), transport)
                    if outcome != expected { Issue.record("\(row.name): \(outcome), not \(expected)") }
                }
            }
        }

        @Test("417 to an expectation of 100-continue is one whole response to one request", arguments: [5000, 100_000])
        func expectationFailed(count: Int) async throws {
            let replies = ["", "Connection: close\r\n"].map {
                "HTTP/1.1 417 No\r\n\($0)Content-Length: 15\r\n\r\nno expectations"
            }
            let server = try TLSCutter(replies)
            for (index, reply) in replies.enumerated() {
                let request = TransportRequest(
                    method: .post,
                    url: url("https://good.test/\(index)/\(reply.utf8.count)/notified"),
                    headers: ["Expect": "100-continue"],
                    body: .bytes(Data(count: count))
                )
                let response = try await server.transport().send(request)
                #expect(response.status == 417)
                #expect(response.body.data == Data("no expectations".utf8))
                #expect(try await server.seen() == index + 1)
            }
        }
    }
#endif
