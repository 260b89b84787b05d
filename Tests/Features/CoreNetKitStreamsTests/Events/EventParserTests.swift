import CoreNetKitStreams
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

/// What was sent, and what a browser must dispatch.
struct FormatCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let stream: String
    let events: [ServerSentEvent]
    let retry: Duration?

    init(
        _ name: String,
        _ stream: String,
        _ data: [String],
        types: [String]? = nil,
        ids: [String]? = nil,
        retry: Duration? = nil
    ) {
        (testDescription, self.stream, self.retry) = (name, stream, retry)
        events = data.enumerated().map { .init(type: types?[$0] ?? "message", data: $1, id: ids?[$0] ?? "") }
    }

    private static let filler = String(repeating: "x", count: 2048)

    /// The format cases of the Web Platform Tests, restated.
    static let all: [FormatCase] = [
        .init("bom", "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n", ["1", "3"]),
        .init("bom-2", "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n", ["2", "3"]),
        .init(
            "comments",
            "data:1\r:\0\n:\r\ndata:2\n:\(filler)\rdata:3\n:data:x\r:\(filler)\ndata:4\n\n",
            ["1\n2\n3\n4"]
        ),
        .init("data-before-final-empty-line", "retry:1000\ndata:a\n\nid:x\ndata:b\n", ["a"], retry: .seconds(1)),
        .init("field-data", "data:\n\ndata\ndata\n\ndata:test\n\n", ["", "\n", "test"]),
        .init("field-event", "event:test\ndata:x\n\ndata:x\n\n", ["x", "x"], types: ["test", "message"]),
        .init("field-event-empty", "event: \ndata:data\n\n", ["data"], types: ["message"]),
        .init("field-id", "id: \u{2026}\ndata:hello\n\n", ["hello"], ids: ["\u{2026}"]),
        .init("id-3, without", "id:1\ndata:a\n\ndata:b\n\n", ["a", "b"], ids: ["1", "1"]),
        .init("id-3, another", "id:1\ndata:a\n\nid:2\ndata:b\n\ndata:c\n\n", ["a", "b", "c"], ids: ["1", "2", "2"]),
        .init("id-3, empty", "id:1\ndata:a\n\nid\ndata:b\n\ndata:c\n\n", ["a", "b", "c"], ids: ["1", "", ""]),
        .init(
            "id-null",
            "id:\0\ndata:a\n\nid:\0x\ndata:b\n\nid:x\0\ndata:c\n\nid:x\0y\ndata:d\n\n",
            ["a", "b", "c", "d"]
        ),
        .init(
            "field-parsing",
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n"
                + " data:32\ndata:4\n\n",
            ["\0\n 2\n1\n3\n\n4"]
        ),
        .init("field-retry", "retry:03000\ndata:x\n\n", ["x"], retry: .seconds(3)),
        .init("field-retry-bogus", "retry:3000\nretry:1000x\ndata:x\n\n", ["x"], retry: .seconds(3)),
        .init("field-retry-empty", "retry\ndata:test\n\n", ["test"]),
        .init("field-unknown", "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:c\ndata:test\n\n", ["test\n\ntest"]),
        .init("leading-space", "data:\ttest\rdata: \ndata:test\n\n", ["\ttest\n\ntest"]),
        .init("newlines", "data:test\r\ndata\ndata:test\r\n\r", ["test\n\ntest"]),
        .init("null-character", "data:\0\n\n\n\n", ["\0"]),
        .init("utf-8", "data:ok\u{2026}\n\n", ["ok\u{2026}"]),
        .init(
            "event-data",
            "data:msg\ndata:msg\n\n:\nfalsefield:msg\n\nfalsefield:msg\nData:data\n\ndata\n\ndata:end\n\n",
            ["msg\nmsg", "", "end"]
        ),

        // Beyond that table.
        .init("a type without a space", "event:greeting\ndata:Hello\n\n", ["Hello"], types: ["greeting"]),
        .init("the type of a block without data is forgotten", "event: a\n\ndata: b\n\n", ["b"]),
        .init("an id without data counts", "id: 1\n\ndata: a\n\n", ["a"], ids: ["1"]),
        .init("fields in reverse order", "data: a\nid: 1\nevent: b\n\n", ["a"], types: ["b"], ids: ["1"]),
        .init("a colon in the value", "data: a: b\n\n", ["a: b"]),
        .init("text of many bytes", "data: €豆腐🙂\n\n", ["€豆腐🙂"]),
        .init("a combining mark behind the colon", "data:\u{301}a\n\n", ["\u{301}a"]),
        .init("a combining mark behind the space", "data: \u{301}a\n\n", ["\u{301}a"]),
        .init("nothing but comments", ": c\n\n: d\n\n", []),
        .init("empty lines", "\n\ndata: a\n\n\n\ndata: b\n\n", ["a", "b"]),
        .init("mixed ends", "data: a\n\r\ndata: b\r\ndata: c\r\rdata: d\n\n", ["a", "b\nc", "d"]),
        .init("a mark before a comment", "\u{FEFF}: c\ndata: a\n\n", ["a"]),
        .init("a mark before empty data", "\u{FEFF}data\n\n", [""]),
        .init("an unfinished line is dropped", "data: a\n\ndata: b", ["a"]),
    ]
}

@Suite("Server-sent events: the format", .timeLimit(.minutes(10)), .paced)
struct EventParserTests {
    @Test("each stream gives its events, wherever it is cut", arguments: FormatCase.all)
    func givesItsEvents(_ row: FormatCase) {
        let bytes = Array(row.stream.utf8)
        let whole = EventParser.read([Data(bytes)], keepsComments: true)
        for chunks in Cuts.all(of: bytes) {
            let (reading, parser) = EventParser.read(chunks)
            #expect(reading.elements == row.events.map { .event($0) })
            #expect(parser.retry == row.retry)
            let cut = EventParser.read(chunks, keepsComments: true)
            #expect(cut.reading == whole.reading)
            #expect(cut.parser.lastEventID == whole.parser.lastEventID)
            #expect(cut.parser.offset == Int64(bytes.count))
        }
    }

    @Test("the known id stays across a connection without ids, and an id is forgotten without an empty line behind it")
    func keepsTheKnownID() {
        let (reading, parser) = EventParser.read([Data("data:a\n\nid:2\ndata:b\n".utf8)], lastEventID: "\u{2026}")
        #expect(reading.elements == [.event(.init(data: "a", id: "\u{2026}"))])
        #expect(parser.lastEventID == "\u{2026}")
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
            ("٣", nil), ("99999999999999999999999999", .seconds(365 * 86400)),
        ]
    )
    func readsRetry(_ value: String, _ expected: Duration?) {
        #expect(EventParser.read([Data("retry: \(value)\n".utf8)]).parser.retry == expected)
    }

    @Test("comments are returned if requested, in their place")
    func keepsComments() {
        let text = ":a\ndata: 1\n: b\n\n:\n"
        let expected: [EventStreamItem] = [.comment("a"), .comment(" b"), .event(.init(data: "1")), .comment("")]
        #expect(EventParser.read([Data(text.utf8)], keepsComments: true).reading.elements == expected)
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
            let ends = bytes.indices.dropFirst().filter { _ in random.next() % 3 == 0 } + [bytes.count]
            let chunks = zip([0] + ends, ends).map { Data(bytes[$0..<$1]) }
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
