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
            client.exchange {
                $0.settings()
                $0.frame(4, 1)
            }
            client.events = []
            return client
        }

        private static func isUsable(_ client: SessionClient) -> Bool {
            client.exchange { $0.headers(3, [(":status", "404")], ends: true) }
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
                client.exchange { $0.headers(1, [(":status", "200")] + fields, ends: true) }
                #expect(client.events.contains("1 tooLarge") == (beyond > 0))
                #expect(client.events.contains("1 end") == (beyond == 0))
                #expect(Self.isUsable(client))
            }
        }

        @Test("trailers and interim heads have the limits of a head", arguments: ["trailers", "interim"])
        func others(kind: String) throws {
            let client = try Self.client { $0.head.head = 1000 }
            let large = ("a", String(repeating: "x", count: 1200))
            let isLast = kind == "trailers"
            let sent = client.exchange {
                if isLast { $0.headers(1, [(":status", "200")]) }
                $0.headers(1, isLast ? [large] : [(":status", "103"), large], ends: isLast)
            }
            #expect(client.events.contains("1 tooLarge") && !client.events.contains("1 end"))
            #expect(sent.contains { $0.type == 3 && $0.stream == 1 })
            #expect(Self.isUsable(client))
        }

        @Test("a small block that stands for a large head is refused before it is whole")
        func bomb() throws {
            let client = try Self.client { $0.head.head = 100_000 }
            let stored = [0x88, 0x40, 1, 0x61, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x62, count: 4000)
            client.exchange { $0.frame(1, 5, 1, stored + [UInt8](repeating: 0xBE, count: 10_000)) }
            #expect(client.events.filter { $0 == "1 tooLarge" }.count == 1, "\(client.events)")
            #expect(Self.isUsable(client))
        }

        @Test("a head in hundreds of pieces is read")
        func pieces() throws {
            let client = try Self.client { _ in }
            let block = FrameWriter.block([(":status", "200"), ("a", String(repeating: "x", count: 500))])
            client.exchange {
                $0.frame(1, 1, 1)
                for byte in block { $0.frame(9, 0, 1, [byte]) }
                $0.frame(9, 4, 1)
            }
            #expect(client.events.contains("1 end"))
            #expect(Self.isUsable(client))
        }

        @Test("streams that a server resets at once leave nothing behind, and the connection stays usable")
        func resets() throws {
            let client = try Self.client { _ in }
            for _ in 0..<20_000 {
                let stream = try client.begin()
                client.send()
                client.receive { $0.reset(stream, 7) }
                #expect(client.events == ["\(stream) closed 7"])
                client.events = []
            }
            #expect(client.session.openStreams == 2)
            #expect(Self.isUsable(client))
        }

        @Test("discarded content and padding are counted as taken: the connection's window stays open")
        func discarded() throws {
            let client = try Self.client { $0.connectionWindow = 1 << 18 }
            client.receive { $0.headers(3, [(":status", "200")]) }
            client.session.reset(1)
            client.send()
            let content = [UInt8](repeating: 0, count: 1 << 14)
            let padding = [255] + [UInt8](repeating: 0, count: 255)
            for _ in 0..<100 {
                client.exchange {
                    $0.frame(0, 0, 1, content)
                    for _ in 0..<20 { $0.frame(0, 8, 3, padding) }
                }
            }
            #expect(client.failure == nil && !client.session.isOver && client.content.isEmpty)
            client.exchange { $0.data(3, "abc", ends: true) }
            #expect(client.events.suffix(2) == ["3 end", "3 closed 0"], "\(client.events)")
        }

        @Test("content is framed for the windows that a server opens, also when it takes back what it has allowed")
        func windows() throws {
            let client = try SessionClient()
            client.receive { $0.settings([(4, 100), (4, 3)]) }
            let stream = try client.begin("PUT / HTTP/1.1\r\nHost: a.test\r\n\r\n", hasContent: true)
            client.send()
            let content = Array("abcdefghijklmnop".utf8)
            content.withUnsafeBytes { bytes in
                #expect(client.session.submit(bytes, isLast: true, to: stream))
                #expect(Self.sent(client) == ["abc"])
                // 3 bytes are sent: a window of 1 is one of -2 (RFC 9113, 6.9.2).
                client.receive { $0.settings([(4, 1)]) }
                client.receive { $0.frame(8, 0, stream, [0, 0, 0, 2]) }
                #expect(Self.sent(client) == [])
                client.receive { $0.frame(8, 0, stream, [0, 0, 0, 2]) }
                #expect(Self.sent(client) == ["de"])
                client.receive { $0.settings([(4, 5)]) }
                #expect(Self.sent(client) == ["fghi"])
                client.receive { $0.frame(8, 0, stream, [0, 0, 1, 0]) }
                #expect(Self.sent(client) == ["jklmnop"])
            }
        }

        private static func sent(_ client: SessionClient) -> [String] {
            client.send().filter { $0.type == 0 }.map { String(decoding: $0.payload, as: UTF8.self) }
        }

        @Test("settings and pings are acknowledged once each, acknowledgements are not")
        func acknowledgements() throws {
            let client = try Self.client { _ in }
            let sent = client.exchange {
                $0.settings([(3, 10)])
                $0.settings([(3, 20)])
                $0.frame(6, 0, 0, Array("12345678".utf8))
                $0.frame(6, 1, 0, Array("unknown!".utf8))
            }
            #expect(sent.map(\.type).sorted() == [4, 4, 6] && sent.allSatisfy { $0.flags == 1 })
            #expect(sent.first { $0.type == 6 }?.payload == Array("12345678".utf8))
            #expect(sent.allSatisfy { $0.type != 4 || $0.payload.isEmpty })
            #expect(client.session.room == 18)
        }
    }
#endif
