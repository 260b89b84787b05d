#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: an error instead of a file", .timeLimit(.minutes(10)), .paced)
    struct DrippingErrorTests {
        @Test(
            "content that drips ends after its time, with what has arrived, and so does its connection",
            arguments: LaneKind.all
        )
        func drips(lane: LaneKind) async throws {
            let peer = try RawPeer { peer, connection in
                _ = connection.head()
                connection.write("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n")
                // Until the client has closed.
                repeat { connection.write("1\r\nx\r\n") } while connection.isIdle(for: 5)
                peer.note("closed")
            }
            let transport = lane.transport { $0.errorTimeout = .zero }
            let target = FileManager.default.temporaryDirectory.appending(path: "drip-\(UInt32.random(in: 0 ... .max))")
            let limits = Timeouts(total: .seconds(60))
            let request = TransportRequest(url: peer.url, timeouts: limits, delivery: .file(target))
            let response = try await transport.send(request)
            #expect(response.status == 500 && response.contentFailure?.code == .timedOut)
            #expect(response.body.data?.first == UInt8(ascii: "x"))
            #expect(!FileManager.default.fileExists(atPath: target.path))
            while peer.requests.isEmpty { await Task.yield() }
        }

        @Test("content that comes in time is kept", arguments: LaneKind.all)
        func keeps(lane: LaneKind) async throws {
            let peer = try RawPeer { _, connection in
                _ = connection.head()
                connection.write("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n")
            }
            let target = FileManager.default.temporaryDirectory.appending(path: "drip-\(UInt32.random(in: 0 ... .max))")
            let response = try await lane.transport().send(TransportRequest(url: peer.url, delivery: .file(target)))
            #expect(response.status == 500 && response.body.data == Data("why".utf8))
            #expect(response.contentFailure == nil)
            #expect(CurlTransport.Configuration().errorTimeout == .seconds(10))
        }
    }
#endif
