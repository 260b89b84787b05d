#if os(Linux)
    import TestPace

    @testable import CoreNetKitWire

    @Suite("A client of HTTP/2 and its bounds", .timeLimit(.minutes(10)), .paced)
    struct HTTP2BoundTests {
        private static func client(_ change: (inout HTTP2Session.Limits) -> Void) throws -> SessionClient {
            var limits = HTTP2Session.Limits()
            change(&limits)
            let client = try SessionClient(limits)
            _ = try (client.begin(), client.begin())
            client.send()
            var server = FrameWriter()
            server.settings()
            server.frame(4, 1)
            client.receive(server.bytes)
            client.send()
            client.events = []
            return client
        }

        private static func isUsable(_ client: SessionClient) -> Bool {
            var server = FrameWriter()
            server.headers(3, [(":status", "404")], ends: true)
            client.receive(server.bytes)
            client.send()
            return client.events.contains("3 head 404 chunked") && client.failure == nil
        }

        @Test(
            "a head may have as many bytes, counted as lines of HTTP/1.1, and fields as the limits say",
            arguments: [0, 1]
        )
        func heads(beyond: Int) throws {
            let value = String(repeating: "x", count: 1000 - ":status: 200\r\na: \r\n".utf8.count + beyond)
            let fields = Array(repeating: ("a", ""), count: 9 + beyond)
            for (client, fields) in [
                (try Self.client { $0.head.head = 1000 }, [("a", value)]),
                (try Self.client { $0.head.fields = 10 }, fields),
            ] {
                var server = FrameWriter()
                server.headers(1, [(":status", "200")] + fields, ends: true)
                client.receive(server.bytes)
                client.send()
                #expect(client.events.contains("1 tooLarge") == (beyond > 0))
                #expect(client.events.contains("1 end") == (beyond == 0))
                #expect(Self.isUsable(client))
            }
        }

        @Test("trailers and interim heads have the limits of a head", arguments: ["trailers", "interim"])
        func others(kind: String) throws {
            let client = try Self.client { $0.head.head = 1000 }
            let large = ("a", String(repeating: "x", count: 1200))
            var server = FrameWriter()
            if kind == "trailers" { server.headers(1, [(":status", "200")]) }
            server.headers(1, kind == "trailers" ? [large] : [(":status", "103"), large], ends: kind == "trailers")
            client.receive(server.bytes)
            let sent = SessionClient.frames(client.send())
            #expect(client.events.contains("1 tooLarge") && !client.events.contains("1 end"))
            #expect(sent.contains { $0.type == 3 && $0.stream == 1 })
            #expect(Self.isUsable(client))
        }

        @Test("a small block that stands for a large head is refused before it is whole")
        func bomb() throws {
            let client = try Self.client { $0.head.head = 100_000 }
            var server = FrameWriter()
            let stored = [0x88, 0x40, 1, 0x61, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x62, count: 4000)
            server.frame(1, 5, 1, stored + [UInt8](repeating: 0xBE, count: 10_000))
            client.receive(server.bytes)
            client.send()
            #expect(client.events.filter { $0 == "1 tooLarge" }.count == 1, "\(client.events)")
            #expect(Self.isUsable(client))
        }

        @Test("a head in hundreds of pieces is read")
        func pieces() throws {
            let client = try Self.client { _ in }
            var server = FrameWriter()
            let block = FrameWriter.block([(":status", "200"), ("a", String(repeating: "x", count: 500))])
            server.frame(1, 1, 1)
            for byte in block { server.frame(9, 0, 1, [byte]) }
            server.frame(9, 4, 1)
            client.receive(server.bytes)
            client.send()
            #expect(client.events.contains("1 end"))
            #expect(Self.isUsable(client))
        }

        @Test("streams that a server resets at once leave nothing behind, and the connection stays usable")
        func resets() throws {
            let client = try Self.client { _ in }
            for _ in 0..<20_000 {
                let stream = try client.begin()
                client.send()
                var server = FrameWriter()
                server.reset(stream, 7)
                client.receive(server.bytes)
                #expect(client.events == ["\(stream) closed 7"])
                client.events = []
            }
            #expect(client.session.openStreams == 2)
            #expect(Self.isUsable(client))
        }

        @Test("discarded content and padding are counted as taken: the connection's window stays open")
        func discarded() throws {
            let client = try Self.client { $0.connectionWindow = 1 << 18 }
            var server = FrameWriter()
            server.headers(3, [(":status", "200")])
            client.receive(server.bytes)
            client.session.reset(1)
            client.send()
            let content = [UInt8](repeating: 0, count: 1 << 14)
            let padding = [255] + [UInt8](repeating: 0, count: 255)
            for _ in 0..<100 {
                server = FrameWriter()
                server.frame(0, 0, 1, content)
                for _ in 0..<20 { server.frame(0, 8, 3, padding) }
                client.receive(server.bytes)
                client.send()
            }
            #expect(client.failure == nil && !client.session.isOver && client.content.isEmpty)
            server = FrameWriter()
            server.data(3, "abc", ends: true)
            client.receive(server.bytes)
            client.send()
            #expect(client.events.suffix(2) == ["3 end", "3 closed 0"], "\(client.events)")
        }

        @Test("content is framed for the windows that a server opens, also when it takes back what it has allowed")
        func windows() throws {
            let client = try SessionClient()
            var server = FrameWriter()
            server.settings([(4, 100), (4, 3)])
            client.receive(server.bytes)
            let stream = try client.begin("PUT / HTTP/1.1\r\nHost: a.test\r\n\r\n", hasContent: true)
            client.send()
            let content = Array("abcdefghijklmnop".utf8)
            try content.withUnsafeBytes { bytes in
                #expect(client.session.submit(bytes, isLast: true, to: stream))
                #expect(Self.sent(client) == ["abc"])
                // 3 bytes are sent: a window of 1 is one of -2 (RFC 9113, 6.9.2).
                try Self.receive(client) { $0.settings([(4, 1)]) }
                try Self.receive(client) { $0.frame(8, 0, stream, [0, 0, 0, 2]) }
                #expect(Self.sent(client) == [])
                try Self.receive(client) { $0.frame(8, 0, stream, [0, 0, 0, 2]) }
                #expect(Self.sent(client) == ["de"])
                try Self.receive(client) { $0.settings([(4, 5)]) }
                #expect(Self.sent(client) == ["fghi"])
                try Self.receive(client) { $0.frame(8, 0, stream, [0, 0, 1, 0]) }
                #expect(Self.sent(client) == ["jklmnop"])
            }
        }

        private static func receive(_ client: SessionClient, _ write: (inout FrameWriter) -> Void) throws {
            var server = FrameWriter()
            write(&server)
            client.receive(server.bytes)
        }

        private static func sent(_ client: SessionClient) -> [String] {
            SessionClient.frames(client.send()).filter { $0.type == 0 }.map {
                String(decoding: $0.payload, as: UTF8.self)
            }
        }

        @Test("settings and pings are acknowledged once each, acknowledgements are not")
        func acknowledgements() throws {
            let client = try Self.client { _ in }
            var server = FrameWriter()
            server.settings([(3, 10)])
            server.settings([(3, 20)])
            server.frame(6, 0, 0, Array("12345678".utf8))
            server.frame(6, 1, 0, Array("unknown!".utf8))
            client.receive(server.bytes)
            let sent = SessionClient.frames(client.send())
            #expect(sent.map(\.type).sorted() == [4, 4, 6] && sent.allSatisfy { $0.flags == 1 })
            #expect(sent.first { $0.type == 6 }?.payload == Array("12345678".utf8))
            #expect(sent.allSatisfy { $0.type != 4 || $0.payload.isEmpty })
            #expect(client.session.room == 18)
        }
    }
#endif
