#if os(Linux)
    import CoreNetKitHTTP
    import TestPace

    @testable import CoreNetKitWire

    @Suite("A session of HTTP/2", .timeLimit(.minutes(10)), .paced)
    struct HTTP2SessionTests {
        private static func response() -> [UInt8] {
            var server = FrameWriter()
            server.settings([(3, 50)])
            server.headers(1, [(":status", "103"), ("link", "</a>")])
            server.headers(1, [(":status", "200"), ("content-type", "text/plain")])
            server.data(1, "Hello, ")
            server.data(1, "world")
            server.headers(1, [("digest", "abc")], ends: true)
            return server.bytes
        }

        @Test("reads a response, however its bytes are split", arguments: 0..<4)
        func splits(kind: Int) throws {
            let bytes = Self.response()
            let splits = kind == 0 ? Array(0...bytes.count) : [bytes.count]
            for split in splits {
                let client = try SessionClient()
                #expect(try client.begin() == 1)
                client.send()
                switch kind {
                case 0: [bytes[..<split], bytes[split...]].forEach { client.receive(Array($0)) }
                case 1: bytes.forEach { client.receive([$0]) }
                default:
                    for start in stride(from: 0, to: bytes.count, by: kind + 3) {
                        client.receive(Array(bytes[start..<min(start + kind + 3, bytes.count)]))
                    }
                }
                #expect(
                    client.events == [
                        "settings", "1 interim 103", "1 head 200 chunked content-type=text/plain",
                        "1 trailers digest=abc", "1 end", "1 closed 0",
                    ],
                    "split at \(split)"
                )
                #expect(String(decoding: client.content, as: UTF8.self) == "Hello, world")
                #expect(client.failure == nil && client.session.openStreams == 0)
            }
        }

        @Test("begins at most as many streams as the server allows, and knows when a place is free")
        func room() throws {
            let client = try SessionClient()
            client.receive { $0.settings([(3, 2)]) }
            #expect(client.session.room == 2)
            #expect(try client.begin() == 1)
            #expect(try client.begin() == 3)
            #expect(throws: HTTP2Fault.noRoom) { try client.begin() }
            client.send()
            client.receive { $0.headers(3, [(":status", "204")], ends: true) }
            #expect(client.session.room == 1)
            #expect(try client.begin() == 5)
        }

        @Test("a refused stream, and streams above the last one that a server names, were not looked at")
        func unseen() throws {
            let client = try SessionClient()
            for _ in 0..<3 { _ = try client.begin() }
            client.send()
            client.exchange {
                $0.settings()
                $0.reset(1, 7)
                $0.goaway(last: 3, 0)
            }
            #expect(client.events.contains("1 closed 7"))
            #expect(client.events.contains("leaving 3 0"))
            #expect(client.events.contains("5 closed 7"))
            #expect(!client.events.contains { $0.hasPrefix("3 closed") })
            #expect(client.session.room == 0 && client.session.openStreams == 1)
        }

        @Test("an unread stream stops at its window, and the others go on")
        func windows() throws {
            var limits = HTTP2Session.Limits()
            limits.streamWindow = 1 << 16
            let client = try SessionClient(limits)
            _ = try client.begin()
            client.send()
            client.exchange {
                $0.settings()
                $0.headers(1, [(":status", "200")])
            }
            // Its reader takes it at once: more than a window passes.
            for _ in 0..<20 {
                client.exchange { $0.data(1, String(repeating: "x", count: 10_000)) }
            }
            #expect(client.content.count == 200_000 && client.failure == nil)
            // Its reader takes nothing: what is sent beyond the window ends the stream, and it alone.
            client.reads = false
            _ = try client.begin()
            for _ in 0..<7 {
                client.receive { $0.data(1, String(repeating: "x", count: 10_000)) }
                #expect(!client.send().contains { $0.type == 8 && $0.stream == 1 })
            }
            client.exchange { $0.headers(3, [(":status", "204")], ends: true) }
            #expect(client.events.contains("1 closed 3") && client.events.last == "3 closed 0")
        }

        @Test("content is framed as it is given, and asked for when it has been taken")
        func upload() throws {
            let client = try SessionClient()
            client.receive { $0.settings() }
            let head = "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
            let stream = try client.begin(head, hasContent: true)
            client.send()
            let piece = Array("some content".utf8)
            piece.withUnsafeBytes {
                #expect(client.session.submit($0, isLast: false, to: stream))
                let frames = client.send()
                #expect(frames.map(\.type) == [0] && frames.first?.payload == piece)
            }
            #expect(client.events.last == "1 wants")
            #expect(client.session.submit(.init(start: nil, count: 0), isLast: true, to: stream))
            let frames = client.send()
            #expect(frames.map(\.type) == [0] && frames.first?.flags == 1 && frames.first?.payload == [])
        }

        @Test("trailers end a stream behind its content, and a later stream stays the last one that was sent")
        func trailers() throws {
            let client = try SessionClient()
            client.receive { $0.settings() }
            let head = "PUT / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
            let stream = try client.begin(head, hasContent: true, hasTrailers: true)
            let later = try client.begin()
            client.send()
            try Array("all".utf8).withUnsafeBytes {
                try #require(client.session.submit($0, isLast: true, to: stream))
                let frames = client.send()
                #expect(frames.map(\.type) == [0] && frames.first?.flags == 0)
            }
            #expect(client.events.last == "1 wants")
            client.session.send([Headers.Field(name: "X-Sum", value: "6")], on: stream)
            let frames = client.send()
            // Ends of stream and of head.
            #expect(frames.map(\.type) == [1] && frames.first?.flags == 5 && frames.first?.stream == stream)
            client.receive { $0.goaway(last: later, 0) }
            #expect(!client.events.contains { $0.hasPrefix("\(later) closed") })
        }

        @Test("a cancelled stream leaves the connection usable")
        func cancel() throws {
            let client = try SessionClient()
            let stream = try client.begin()
            client.send()
            client.session.reset(stream)
            let frames = client.send()
            #expect(frames.contains { $0.type == 3 && $0.stream == 1 && $0.payload == [0, 0, 0, 8] })
            #expect(client.events.last == "1 closed 8")
            #expect(try client.begin() == 3 && !client.session.isOver)
        }

        @Test(
            "a server that floods ends the session",
            arguments: [
                "settings", "ping", "empty data", "continuation", "unknown", "interim", "window", "priority", "reset",
                "late head",
            ]
        )
        func floods(kind: String) throws {
            let client = try SessionClient()
            for _ in 0..<3 { _ = try client.begin() }
            client.send()
            client.exchange { server in
                server.settings()
                server.headers(1, [(":status", "200")])
                if kind == "continuation" { server.frame(1, 0, 1, []) }
                for _ in 0..<20_000 {
                    switch kind {
                    case "settings": server.settings([(3, 7)])
                    case "ping": server.frame(6, 0, 0, Array(repeating: 0, count: 8))
                    case "empty data": server.frame(0, 0, 1)
                    case "interim": server.headers(3, [(":status", "103")])
                    case "window": server.frame(8, 0, 1, [0, 0, 0, 1])
                    case "priority": server.frame(2, 0, 1, [0, 0, 0, 0, 1])
                    case "reset": server.reset(1, 8)
                    case "late head": server.headers(5, [(":status", "200")], ends: true)
                    default: server.frame(9, 0, 1)
                    }
                }
            }
            #expect(client.failure != nil || client.session.isOver)
        }

        @Test(
            "what is no HTTP/2 ends the session",
            arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\0\0\0"]
        )
        func other(text: String) throws {
            let client = try SessionClient()
            _ = try client.begin()
            client.send()
            client.receive(Array(text.utf8))
            client.send()
            #expect(client.failure != nil || client.session.isOver || text.utf8.count < 9)
        }
    }
#endif
