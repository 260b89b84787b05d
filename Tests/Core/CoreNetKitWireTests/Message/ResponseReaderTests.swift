import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
import TestPace

@Suite("Reading HTTP/1.1 responses", .timeLimit(.minutes(10)), .paced)
struct ResponseReaderTests {
    /// A message, what is read of it, and what is left behind it.
    struct Row: Sendable, CustomTestStringConvertible {
        let bytes: String
        var status = 200
        let framing: BodyFraming
        var text = ""
        var keeps = true
        var interim: [Int] = []
        var left = ""
        var testDescription: String { bytes.debugDescription }
    }

    static let ok = "HTTP/1.1 200 OK\r\n"
    static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    static let kept = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"

    static let rows: [Row] = [
        // RFC 9112, 6.3, in its order.
        Row(bytes: "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nHTTP", status: 204, framing: .none, left: "HTTP"),
        Row(bytes: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", status: 304, framing: .none),
        Row(bytes: chunked + "3\r\nabc\r\n0\r\n\r\n", framing: .chunked, text: "abc"),
        Row(
            bytes: ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            framing: .chunked,
            text: "a",
            keeps: false
        ),
        Row(bytes: ok + "Transfer-Encoding: identity\r\n\r\nabc", framing: .untilClose, text: "abc", keeps: false),
        Row(bytes: ok + "Transfer-Encoding: , IDENTITY ,Chunked\r\n\r\n0\r\n\r\n", framing: .chunked),
        Row(bytes: ok + "Content-Length: 3\r\n\r\nabcdef", framing: .length(3), text: "abc", left: "def"),
        Row(bytes: ok + "Content-Length: 3, 3\r\nContent-Length:3\r\n\r\nabc", framing: .length(3), text: "abc"),
        Row(bytes: ok + "Content-Length: 0\r\n\r\n", framing: .length(0)),
        Row(bytes: ok + "X: 1\r\n\r\nabc", framing: .untilClose, text: "abc", keeps: false),
        // Connections, 9.3.
        Row(bytes: ok + "Connection: x, Close\r\nContent-Length: 0\r\n\r\n", framing: .length(0), keeps: false),
        Row(bytes: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", framing: .length(0), keeps: false),
        Row(bytes: kept + "Content-Length: 1\r\n\r\nx", framing: .length(1), text: "x"),
        Row(bytes: kept + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", framing: .chunked, keeps: false),
        Row(bytes: "HTTP/1.9 200 OK\r\nContent-Length: 0\r\n\r\n", framing: .length(0)),
        // Lines, 2.2, 4, 5.2.
        Row(bytes: "HTTP/1.1 299\nContent-Length: 1\n\nx", status: 299, framing: .length(1), text: "x"),
        Row(bytes: "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx", framing: .length(1), text: "x"),
        Row(bytes: ok + "X: a\r\n\tb\r\nContent-Length:\t1 \r\n\r\nx", framing: .length(1), text: "x"),
        Row(bytes: ok + "X:\r\nY: \u{e9}\r\nContent-Length: 1\r\n\r\nx", framing: .length(1), text: "x"),
        // Chunks, 7.1.
        Row(
            bytes: chunked + "00a ; n=\"v\"\r\n0123456789\r\nF;x\r\n0123456789abcde\r\n0\r\n\r\nY",
            framing: .chunked,
            text: "01234567890123456789abcde",
            left: "Y"
        ),
        // Interim responses, RFC 9110, 15.2.
        Row(
            bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok
                + "Content-Length: 1\r\n\r\nx",
            framing: .length(1),
            text: "x",
            interim: [100, 103]
        ),
    ]

    @Test("a message is read to its end, in whatever pieces it arrives", arguments: rows)
    func reads(row: Row) {
        let bytes = Array(row.bytes.utf8)
        let whole = Reading(ResponseReader(), [bytes])
        #expect(whole.fault == nil && whole.hasEnded)
        #expect(whole.status == row.status && whole.framing == row.framing && whole.text == row.text)
        #expect(whole.keepsConnection == row.keeps && whole.interim == row.interim)
        #expect(whole.left == Array(row.left.utf8))
        for pieces in bytes.splits { #expect(Reading(ResponseReader(), pieces) == whole) }
    }

    static let faults: [(String, WireFault)] = [
        ("ICY 200 OK\r\n\r\n", .startLine), ("\r\nHTTP/1.1 200 OK\r\n\r\n", .startLine), ("<html>", .startLine),
        ("HTTP/1.1 20 OK\r\n\r\n", .startLine), ("HTTP/1.1 2000 OK\r\n\r\n", .startLine),
        ("HTTP/1.1 099 OK\r\n\r\n", .startLine), ("HTTP/1.1 +20 OK\r\n\r\n", .startLine),
        ("HTTP/1.1  200 OK\r\n\r\n", .startLine), ("HTTP/1.1 200\tOK\r\n\r\n", .startLine),
        ("HTTP/2 200\r\n\r\n", .version), ("HTTP/1 200\r\n\r\n", .version), ("HTTP/1.x 200\r\n\r\n", .version),
        ("HTTP/1.10 200\r\n\r\n", .version), ("HTTP/1.1 200 O\u{0}K\r\n\r\n", .fieldValue),
        (ok + "no colon\r\n\r\n", .fieldName), (ok + ": x\r\n\r\n", .fieldName), (ok + "A B: x\r\n\r\n", .fieldName),
        (ok + "A : x\r\n\r\n", .fieldName), (ok + "A\u{e9}: x\r\n\r\n", .fieldName),
        (ok + "A: x\ry\r\n\r\n", .fieldValue), (ok + "A: 0123456789\u{0}\r\n\r\n", .fieldValue),
        (ok + "A: 0123456\u{7f}\r\n\r\n", .fieldValue), (ok + "A: x\r\r\n\r\n", .fieldValue),
        (ok + " A: x\r\n\r\n", .folding), (ok + "Content-Length: 1\r\n 2\r\n\r\nx", .folding),
        (ok + "Content-Length: 6\r\nContent-Length: 5\r\n\r\nabcdef", .contentLength),
        (ok + "Content-Length: 5, 6\r\n\r\nabcdef", .contentLength),
        (ok + "Content-Length: +5\r\n\r\nabcde", .contentLength),
        (ok + "Content-Length: 5x\r\n\r\nabcde", .contentLength),
        (ok + "Content-Length: 0x5\r\n\r\nabcde", .contentLength),
        (ok + "Content-Length: -1\r\n\r\n", .contentLength), (ok + "Content-Length:\r\n\r\n", .contentLength),
        (ok + "Content-Length: 9223372036854775808\r\n\r\n", .contentLength),
        (ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", .transferCoding),
        (ok + "Transfer-Encoding: gzip\r\n\r\nabc", .transferCoding),
        (ok + "Transfer-Encoding: chunked, gzip\r\n\r\nabc", .transferCoding),
        (ok + "Transfer-Encoding: chunked, identity\r\n\r\nabc", .transferCoding),
        (ok + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", .transferCoding),
        (ok + "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n", .transferCoding),
        (ok + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", .transferCoding),
        (ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .transferCoding),
        (chunked + "x\r\n", .chunkSize), (chunked + "\r\n", .chunkSize), (chunked + "-1\r\n", .chunkSize),
        (chunked + "0x1\r\n", .chunkSize), (chunked + "1\na\r\n", .chunkSize), (chunked + " 1\r\na\r\n", .chunkSize),
        (chunked + "1 2\r\na\r\n", .chunkSize), (chunked + "8000000000000000\r\n", .chunkSize),
        (chunked + "1;\u{0}\r\na\r\n", .chunkSize), (chunked + "1;a\rb\r\na\r\n", .chunkSize),
        (chunked + "1\r\nab\r\n0\r\n\r\n", .chunkEnd), (chunked + "1\r\na\n0\r\n\r\n", .chunkEnd),
        (chunked + "0\r\nno colon\r\n\r\n", .fieldName),
        ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", .unaskedUpgrade),
    ]

    @Test("an invalid message is refused for its reason, in whatever pieces it arrives", arguments: faults)
    func refuses(text: String, fault: WireFault) {
        let bytes = Array(text.utf8)
        for pieces in bytes.splits + [[bytes]] { #expect(Reading(ResponseReader(), pieces).fault == fault) }
        #expect(!fault.message.isEmpty && fault.code != .failed)
    }

    @Test("a message cut at any of its bytes is never complete", arguments: rows.filter(\.framing.isDelimited))
    func cut(row: Row) {
        let bytes = Array(row.bytes.utf8.dropLast(row.left.utf8.count))
        for count in bytes.indices {
            let reading = Reading(ResponseReader(), [Array(bytes[..<count])])
            let expected: WireFault = count == 0 ? .noResponse : reading.head.isEmpty ? .cutHead : .cutContent
            #expect(reading.fault == expected, "after \(count) bytes")
        }
        // As long as the connection lasts there may be more.
        let open = Reading(ResponseReader(), [Array(bytes.dropLast())], isClosed: false)
        #expect(open.fault == nil && !open.hasEnded)
    }

    @Test("a response to HEAD has no content, whatever its fields say")
    func toHead() {
        for field in ["Content-Length: 5", "Transfer-Encoding: chunked", "X: 1", "Content-Length: 5, 6"] {
            let reading = Reading("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n", isToHead: true, isClosed: false)
            #expect(reading.hasEnded && reading.framing == BodyFraming.none, "\(field)")
            #expect(reading.keepsConnection == !field.hasSuffix("6"))
        }
    }

    @Test("a requested 101 ends HTTP; the bytes after it are the next protocol's")
    func upgrade() {
        let bytes = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}"
        let reading = Reading(bytes, expectsUpgrade: true, isClosed: false)
        #expect(reading.hasSwitched && reading.left == [1, 2])
        #expect(Reading(bytes, isClosed: false).fault == .unaskedUpgrade)
        let refused = Reading("HTTP/1.1 403 No\r\nContent-Length: 1\r\n\r\nx", expectsUpgrade: true)
        #expect(refused.status == 403 && refused.text == "x" && refused.hasEnded)
    }

    @Test("trailers are returned with the end, checked like fields")
    func trailers() {
        let reading = Reading(Self.chunked + "1\r\na\r\n0\r\nDigest: x\r\n y\r\n\r\n", isClosed: false)
        #expect(reading.hasEnded)
        let fields = Array(reading.trailers.utf8).withUnsafeBytes { HeaderLines.fields(in: $0, skipsFirst: false) }
        #expect(fields == [Headers.Field(name: "Digest", value: "x y")])
    }

    @Test("heads, lines and extensions have limits, whether they arrive in one piece or byte by byte")
    func limits() {
        var limits = WireLimits()
        (limits.head, limits.fields, limits.chunkLine, limits.chunkExtensions) = (100, 3, 20, 30)
        let long = String(repeating: "x", count: 100)
        let many = [
            "HTTP/1.1 200 \(long)", Self.ok + "A: \(long)\r\n\r\n", Self.ok + "A:1\r\nB:2\r\nC:3\r\nD:4\r\n\r\n",
            String(repeating: "HTTP/1.1 100 C\r\n\r\n", count: 6), Self.chunked + "1;" + long,
            Self.chunked + String(repeating: "1;0123456789\r\na\r\n", count: 3),
            Self.chunked + "0\r\nA: \(long)\r\n\r\n",
        ]
        for text in many {
            let bytes = Array(text.utf8)
            for pieces in [[bytes], bytes.map { [$0] }] {
                #expect(Reading(ResponseReader(limits: limits), pieces).fault == .tooLarge, "\(text)")
            }
        }
    }

    @Test("10 000 broken messages end in a verdict, the same in whatever pieces they arrive")
    func fuzz() {
        var random = SplitMix64(seed: 20_261_122)
        for _ in 0..<10_000 {
            var bytes = Array(Self.rows[Int.random(in: 0..<Self.rows.count, using: &random)].bytes.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert([0x0A, 0x0D, 0x20, 0x3A, 0x2C][Int.random(in: 0..<5, using: &random)], at: place)
                case 2: if bytes.count > 1 { bytes.remove(at: place) }
                default: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
                }
            }
            let whole = Reading(ResponseReader(), [bytes])
            #expect(whole.hasEnded || whole.fault != nil)
            let place = Int.random(in: 0...bytes.count, using: &random)
            let pieces = [Array(bytes[..<place]), Array(bytes[place...])]
            for other in [Reading(ResponseReader(), pieces), Reading(ResponseReader(), bytes.map { [$0] })] {
                #expect(other == whole, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
        }
    }
}

/// What a reader made of the bytes of a connection, whatever pieces they came in.
struct Reading: Hashable {
    var interim: [Int] = []
    var status: Int?
    var framing: BodyFraming?
    var keepsConnection: Bool?
    var head = ""
    var content: [UInt8] = []
    var trailers = ""
    var hasEnded = false
    var hasSwitched = false
    var fault: WireFault?
    var left: [UInt8] = []

    var text: String { String(decoding: content, as: UTF8.self) }

    /// Reads pieces as a connection would: what was not consumed is there again, with the next piece behind it.
    init(_ reader: ResponseReader, _ pieces: [[UInt8]], isClosed: Bool = true) {
        var (reader, buffer) = (reader, [UInt8]())
        for piece in pieces {
            buffer += piece
            guard !isOver else { continue }
            var position = 0
            read(&reader, buffer, &position)
            buffer.removeFirst(position)
        }
        left = buffer
        guard isClosed, !isOver else { return }
        take(reader.close(), [])
    }

    init(_ text: String, isToHead: Bool = false, expectsUpgrade: Bool = false, isClosed: Bool = true) {
        let reader = ResponseReader(isToHead: isToHead, expectsUpgrade: expectsUpgrade)
        self.init(reader, [Array(text.utf8)], isClosed: isClosed)
    }

    private var isOver: Bool { hasEnded || hasSwitched || fault != nil }

    private mutating func read(_ reader: inout ResponseReader, _ buffer: [UInt8], _ position: inout Int) {
        while !isOver {
            let event = buffer.withUnsafeBytes { reader.next($0, &position) }
            if case .needsMore = event { return }
            take(event, buffer)
            if case .head = event { (status, framing) = (reader.head?.status, reader.head?.framing) }
            keepsConnection = reader.head?.keepsConnection
        }
    }

    private mutating func take(_ event: ResponseReader.Event, _ buffer: [UInt8]) {
        switch event {
        case .needsMore: break
        case .interim(_, let status): interim.append(status)
        case .head(let range): head = String(decoding: buffer[range], as: UTF8.self)
        case .content(let range): content += buffer[range]
        case .end(let range):
            hasEnded = true
            trailers = String(decoding: buffer[range], as: UTF8.self)
        case .switched(let range):
            hasSwitched = true
            head = String(decoding: buffer[range], as: UTF8.self)
        case .fault(let fault): self.fault = fault
        }
    }
}

extension Array<UInt8> {
    /// Itself in two pieces, cut at each place, and byte by byte.
    var splits: [[[UInt8]]] { indices.map { [Array(self[..<$0]), Array(self[$0...])] } + [map { [$0] }] }
}
