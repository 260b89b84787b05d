import CoreNetKitStreams
import TestSupport

/// The format cases of the Web Platform Tests, restated: what was sent, and what a browser must dispatch.
struct FormatCase: Sendable, CustomTestStringConvertible {
    let name: String
    let stream: String
    let data: [String]
    var types: [String]?
    var ids: [String]?
    var retry: Duration?

    var testDescription: String { name }

    init(
        _ name: String,
        _ stream: String,
        _ data: [String],
        types: [String]? = nil,
        ids: [String]? = nil,
        retry: Duration? = nil
    ) {
        (self.name, self.stream, self.data) = (name, stream, data)
        (self.types, self.ids, self.retry) = (types, ids, retry)
    }

    static let all: [FormatCase] = [
        .init("bom", "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n", ["1", "3"]),
        .init("bom-2", "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n", ["2", "3"]),
        .init(
            "comments",
            "data:1\r:\0\n:\r\ndata:2\n:\(filler)\rdata:3\n:data:fail\r:\(filler)\ndata:4\n\n",
            ["1\n2\n3\n4"]
        ),
        .init(
            "data-before-final-empty-line",
            "retry:1000\ndata:test1\n\nid:test\ndata:test2\n",
            ["test1"],
            ids: [""],
            retry: .seconds(1)
        ),
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
            ["a", "b", "c", "d"],
            ids: ["", "", "", ""]
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
    ]

    private static let filler = String(repeating: "x", count: 2048)
}

@Suite("Server-sent events: the table of the Web Platform Tests", .timeLimit(.minutes(10)), .paced)
struct EventParserTableTests {
    @Test("each stream gives its events", arguments: FormatCase.all)
    func givesItsEvents(_ row: FormatCase) {
        let (reading, parser) = EventParser.read([Data(row.stream.utf8)])
        let events = reading.elements.compactMap { item in if case .event(let event) = item { event } else { nil } }
        #expect(events.map(\.data) == row.data)
        if let types = row.types { #expect(events.map(\.type) == types) }
        if let ids = row.ids { #expect(events.map(\.id) == ids) }
        #expect(parser.retry == row.retry)
    }

    @Test("wherever a stream is cut, the events are the same", arguments: FormatCase.all)
    func isIndependentOfCuts(_ row: FormatCase) {
        let bytes = Array(row.stream.utf8)
        let whole = EventParser.read([Data(bytes)], keepsComments: true)
        for chunks in Cuts.all(of: bytes) {
            let cut = EventParser.read(chunks, keepsComments: true)
            #expect(cut.reading == whole.reading)
            #expect(cut.parser.lastEventID == whole.parser.lastEventID)
            #expect(cut.parser.retry == whole.parser.retry)
            #expect(cut.parser.offset == Int64(bytes.count))
        }
    }

    @Test("the known id stays across a connection without ids")
    func keepsTheKnownID() {
        let (reading, parser) = EventParser.read([Data("data:a\n\n".utf8)], lastEventID: "\u{2026}")
        #expect(reading.elements == [.event(.init(data: "a", id: "\u{2026}"))])
        #expect(parser.lastEventID == "\u{2026}")
    }

    @Test("an id whose event did not end with an empty line is forgotten")
    func forgetsUnfinishedID() {
        let (_, parser) = EventParser.read([Data("id:1\ndata:a\n\nid:2\ndata:b\n".utf8)])
        #expect(parser.lastEventID == "1")
    }
}
