import CoreNetKitStreams
import TestSupport

@Suite("Server-sent events: the contract of clients", .timeLimit(.minutes(10)), .paced)
struct EventParserContractTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let stream: String
        let events: [ServerSentEvent]
        var testDescription: String { name }

        init(_ name: String, _ stream: String, _ events: ServerSentEvent...) {
            (self.name, self.stream, self.events) = (name, stream, events)
        }
    }

    private static let rows: [Row] = [
        Row("one line", "data: Hello\n\n", .init(data: "Hello")),
        Row("many lines", "data: Hello\ndata:there\ndata: you\n\n", .init(data: "Hello\nthere\nyou")),
        Row("empty data", "data:\n\n", .init(data: "")),
        Row("data without a colon", "data\n\n", .init(data: "")),
        Row("a type", "event: greeting\ndata: Hello\n\n", .init(type: "greeting", data: "Hello")),
        Row("a type without a space", "event:greeting\ndata:Hello\n\n", .init(type: "greeting", data: "Hello")),
        Row("the type of a block without data is forgotten", "event: a\n\ndata: b\n\n", .init(data: "b")),
        Row("an id", "id: 1\ndata: a\n\n", .init(data: "a", id: "1")),
        Row("an id without data counts", "id: 1\n\ndata: a\n\n", .init(data: "a", id: "1")),
        Row("fields in reverse order", "data: a\nid: 1\nevent: b\n\n", .init(type: "b", data: "a", id: "1")),
        Row("an unknown field", "data: a\nwhat: b\n\n", .init(data: "a")),
        Row("two spaces", "data:  a\n\n", .init(data: " a")),
        Row("no space", "data:a\n\n", .init(data: "a")),
        Row("a colon in the value", "data: a: b\n\n", .init(data: "a: b")),
        Row("text of many bytes", "data: €豆腐🙂\n\n", .init(data: "€豆腐🙂")),
        Row("a combining mark behind the colon", "data:\u{301}a\n\n", .init(data: "\u{301}a")),
        Row("a combining mark behind the space", "data: \u{301}a\n\n", .init(data: "\u{301}a")),
        Row("a comment before", ": c\ndata: a\n\n", .init(data: "a")),
        Row("a comment after", "data: a\n: c\n\n", .init(data: "a")),
        Row("nothing but comments", ": c\n\n: d\n\n"),
        Row("empty lines first", "\n\ndata: a\n\n", .init(data: "a")),
        Row("empty lines between", "data: a\n\n\n\ndata: b\n\n", .init(data: "a"), .init(data: "b")),
        Row("CRLF", "data: a\r\ndata: b\r\n\r\n", .init(data: "a\nb")),
        Row("CR", "data: a\rdata: b\r\r", .init(data: "a\nb")),
        Row(
            "mixed ends",
            "data: a\n\r\ndata: b\r\ndata: c\r\rdata: d\n\n",
            .init(data: "a"),
            .init(data: "b\nc"),
            .init(data: "d")
        ),
        Row("a mark before a comment", "\u{FEFF}: c\ndata: a\n\n", .init(data: "a")),
        Row("a mark before empty data", "\u{FEFF}data\n\n", .init(data: "")),
        Row("an unfinished event is dropped", "data: a\n\ndata: b\n", .init(data: "a")),
        Row("an unfinished line is dropped", "data: a\n\ndata: b", .init(data: "a")),
    ]

    @Test("gives its events wherever it is cut", arguments: rows)
    private func givesItsEvents(_ row: Row) {
        for chunks in Cuts.all(of: Array(row.stream.utf8)) {
            #expect(EventParser.read(chunks).reading.elements == row.events.map { .event($0) })
        }
    }

    @Test("a CR at the end of a chunk ends its line at once")
    func doesNotWaitBehindCarriageReturn() throws {
        var parser = EventParser()
        parser.feed(Data("data: a\r\r".utf8))
        let first = try parser.next()
        #expect(first == .event(.init(data: "a")))
        parser.feed(Data("\ndata: b\r\n\r".utf8))
        let second = try parser.next()
        #expect(second == .event(.init(data: "b")))
    }

    @Test("bytes that are not UTF-8 become U+FFFD, cut or not")
    func replacesBadBytes() {
        let bytes: [UInt8] = Array("data: a".utf8) + [0xFF, 0xE2, 0x80] + Array("b\n\n".utf8)
        for chunks in Cuts.all(of: bytes) {
            #expect(EventParser.read(chunks).reading.elements == [.event(.init(data: "a\u{FFFD}\u{FFFD}b"))])
        }
    }

    @Test(
        "retry accepts digits only",
        arguments: [
            ("10", Duration.milliseconds(10)), ("0", .zero), ("-5", nil), ("+5", nil), ("5s", nil), ("1.5", nil),
            ("٣", nil),
            ("99999999999999999999999999", .seconds(365 * 86400)),
        ]
    )
    func readsRetry(_ value: String, _ expected: Duration?) {
        #expect(EventParser.read([Data("retry: \(value)\n".utf8)]).parser.retry == expected)
    }

    @Test("comments are returned if requested, in their place")
    func keepsComments() {
        let text = ":a\ndata: 1\n: b\n\n:\n"
        let expected: [EventStreamItem] = [.comment("a"), .comment(" b"), .event(.init(data: "1")), .comment("")]
        for chunks in Cuts.all(of: Array(text.utf8)) {
            #expect(EventParser.read(chunks, keepsComments: true).reading.elements == expected)
        }
    }

    @Test(
        "a line longer than its limit fails, wherever it is cut; one byte less does not",
        arguments: ["data:", ":", "id:", "what:"]
    )
    func limitsLines(_ field: String) {
        let limits = EventLimits(line: 32, event: 1000)
        let fits = "data:0\n\n" + field + String(repeating: "x", count: 32 - field.utf8.count)
        for chunks in Cuts.all(of: Array(fits.utf8)) {
            #expect(EventParser.read(chunks, limits: limits).reading.code == nil)
        }
        for chunks in Cuts.all(of: Array((fits + "x").utf8)) {
            let reading = EventParser.read(chunks, limits: limits).reading
            #expect(reading == Reading(elements: [.event(.init(data: "0"))], code: "lineTooLong"))
        }
    }

    @Test("an event larger than its limit fails, whatever the number of its lines")
    func limitsEvents() {
        let text = String(repeating: "data:123456789\n", count: 11)
        for chunks in Cuts.all(of: Array(text.utf8)) {
            #expect(EventParser.read(chunks, limits: .init(event: 100)).reading.code == "eventTooLarge")
        }
    }

    @Test("a comment without an end costs no memory and fails at the limit")
    func endlessComment() {
        var parser = EventParser(limits: .init(line: 1 << 20))
        let chunk = Data(":".utf8) + Data(repeating: 0x78, count: 1023)
        let error = #expect(throws: StreamError.self) {
            for _ in 0..<2048 {
                parser.feed(chunk)
                while try parser.next() != nil {}
            }
        }
        #expect(error?.code == .lineTooLong)
        #expect(parser.offset <= 1 << 20)
        #expect(throws: StreamError.self) { try parser.next() }
    }

    @Test("random streams give the same events in random chunks")
    func randomCuts() {
        var random = SplitMix64(seed: 7)
        let parts = [
            "data", "id", "event", "retry", ":", ": ", " ", "x", "\n", "\r", "\r\n", "\0", "é", "1", "\u{FEFF}",
        ]
        for _ in 0..<300 {
            let text = (0..<60).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
            let bytes = Array(text.utf8)
            let whole = EventParser.read([Data(bytes)], keepsComments: true).reading
            var chunks: [Data] = []
            var place = 0
            while place < bytes.count {
                let end = min(bytes.count, place + Int(random.next() % 6) + 1)
                chunks.append(Data(bytes[place..<end]))
                place = end
            }
            #expect(EventParser.read(chunks, keepsComments: true).reading == whole, "\(text.debugDescription)")
        }
    }
}

extension EventParser {
    /// Reads all chunks.
    static func read(
        _ chunks: [Data],
        lastEventID: String = "",
        limits: EventLimits = .init(),
        keepsComments: Bool = false
    ) -> (reading: Reading<EventStreamItem>, parser: EventParser) {
        var parser = EventParser(lastEventID: lastEventID, limits: limits, keepsComments: keepsComments)
        var reading = Reading<EventStreamItem>()
        do throws(StreamError) {
            for chunk in chunks {
                parser.feed(chunk)
                while let item = try parser.next() { reading.elements.append(item) }
            }
        } catch {
            reading.code = "\(error.code)"
        }
        return (reading, parser)
    }
}
