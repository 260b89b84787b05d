import CoreNetKitWire
import TestPace

@Suite("WebSocket frames", .timeLimit(.minutes(10)), .paced)
struct SocketReaderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: Data
        let events: [SocketReader.Event]
        let fault: UInt16?
        let role: SocketRole

        init(
            _ name: String,
            _ bytes: [UInt8],
            _ events: [SocketReader.Event] = [],
            fault: UInt16? = nil,
            role: SocketRole = .client
        ) {
            (testDescription, self.bytes, self.events, self.fault, self.role) = (name, Data(bytes), events, fault, role)
        }

        init(_ name: String, _ frames: SocketFrame..., makes events: [SocketReader.Event] = [], fault: UInt16? = nil) {
            self.init(name, Array(Data(frames: frames)), events, fault: fault)
        }
    }

    private static let full = Data(repeating: 0x2A, count: 125)

    /// RFC 6455, 5.7.
    static let examples = [
        Row("text", [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.text("Hello")]),
        Row(
            "masked text",
            [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            [.text("Hello")],
            role: .server
        ),
        Row("fragments", [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], [.text("Hello")]),
        Row("ping", [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.ping(Data("Hello".utf8))]),
        Row("256 bytes", [0x82, 0x7E, 0x01, 0x00] + Data(count: 256), [.binary(256)]),
        Row("64 KiB", [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + Data(count: 65536), [.binary(65536)]),
    ]

    /// Autobahn 2 to 5 and 7: control frames, reserved bits and opcodes, fragments, ends.
    static let rules: [Row] = [
        Row("2.1 ping without content", SocketFrame(.ping), makes: [.ping(Data())]),
        Row("2.4 ping of 125 bytes", SocketFrame(.ping, full), makes: [.ping(full)]),
        Row("2.5 ping of 126 bytes", SocketFrame(.ping, full + full.prefix(1)), fault: 1002),
        Row("2.7 unasked pong", SocketFrame(.pong), .text("a"), makes: [.pong(Data()), .text("a")]),
        Row("3.1 first reserved bit", [0xC1, 0x00], fault: 1002),
        Row("3.2 second reserved bit behind a text", [0x81, 0x01, 0x61, 0xA1, 0x00], [.text("a")], fault: 1002),
        Row("3.4 third reserved bit", [0x91, 0x00], fault: 1002),
        Row("3.5 reserved bits of a ping", [0xC9, 0x00], fault: 1002),
        Row("4.1.1 opcode 3", [0x83, 0x00], fault: 1002),
        Row("4.1.5 opcode 7", [0x87, 0x00], fault: 1002),
        Row("4.2.1 opcode 11", [0x8B, 0x00], fault: 1002),
        Row("4.2.5 opcode 15", [0x8F, 0x00], fault: 1002),
        Row("5.1 ping in fragments", SocketFrame(.ping, isFinal: false), .more("a"), fault: 1002),
        Row("5.2 pong in fragments", SocketFrame(.pong, isFinal: false), .more("a"), fault: 1002),
        Row("5.3 two fragments", .text("a", isFinal: false), .more("b"), makes: [.text("ab")]),
        Row(
            "5.6 a ping between fragments",
            .text("a", isFinal: false),
            SocketFrame(.ping, full),
            .more("b"),
            makes: [.ping(full), .text("ab")]
        ),
        Row("5.9 continuation of nothing", .more("a"), fault: 1002),
        Row("5.10 continuation of nothing that is not the last", .more("a", isFinal: false), fault: 1002),
        Row(
            "5.15 continuation behind a whole message",
            .text("a", isFinal: false),
            .more("b"),
            .more("c", isFinal: false),
            makes: [.text("ab")],
            fault: 1002
        ),
        Row("5.18 a text within a text", .text("a", isFinal: false), .text("b"), fault: 1002),
        Row(
            "5.19 five fragments with pings",
            .text("1", isFinal: false),
            .more("2", isFinal: false),
            SocketFrame(.ping),
            .more("3", isFinal: false),
            .more("4", isFinal: false),
            SocketFrame(.ping),
            .more("5"),
            makes: [.ping(Data()), .ping(Data()), .text("12345")]
        ),
        Row("empty fragments", .text("", isFinal: false), .more("", isFinal: false), .more(""), makes: [.text("")]),
        Row("7.1.1 close", SocketFrame(.close, Data([3, 232])), .text("a"), makes: [.close(code: 1000, reason: "")]),
        Row("7.3.1 close without a code", SocketFrame(.close), makes: [.close(code: 1005, reason: "")]),
        Row("7.3.2 half a code", SocketFrame(.close, Data([3])), fault: 1002),
        Row(
            "7.3.5 the longest reason",
            SocketFrame(.close, Data([3, 232]) + full.prefix(123)),
            makes: [.close(code: 1000, reason: String(repeating: "*", count: 123))]
        ),
        Row("7.3.6 too long a reason", SocketFrame(.close, Data([3, 232]) + full.prefix(124)), fault: 1002),
        Row("7.5.1 a reason that is no text", SocketFrame(.close, Data([3, 232, 0xCE, 0xBA, 0xE1])), fault: 1007),
        Row("a close in fragments", SocketFrame(.close, isFinal: false), fault: 1002),
        Row("a mask on a server's frame", [0x81, 0x80, 0, 0, 0, 0], fault: 1002),
        Row("no mask on a client's frame", [0x81, 0x00], fault: 1002, role: .server),
        Row("a negative length", [0x82, 0x7F, 0x80], fault: 1002),
        Row("a length beyond the limit", [0x82, 0x7F, 0x7F, 255, 255, 255, 255, 255, 255, 255], fault: 1009),
        Row("a control frame with a wide length", [0x89, 0x7E, 0x00, 0x01, 0x61], fault: 1002),
    ]

    @Test("are read as RFC 6455 and Autobahn require, wherever the bytes are cut", arguments: examples + rules)
    func read(_ row: Row) {
        let expected = FrameReading(row.events, fault: row.fault)
        #expect(FrameReading([row.bytes], row.role) == expected)
        for cut in row.bytes.cuts where FrameReading(cut, row.role) != expected {
            Issue.record("cut in \(cut.map(\.count)): \(FrameReading(cut, row.role))")
        }
    }

    @Test("of each length are written as they are read, by either end", arguments: [SocketRole.client, .server])
    func written(_ role: SocketRole) {
        for count in [0, 1, 7, 8, 9, 125, 126, 127, 128, 1000, 65535, 65536, 70000] {
            let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let mask = role == .server ? SocketMask.random() : nil
            let bytes = SocketFrame(.binary, content).bytes(mask: mask)
            let head = count < 126 ? 2 : count < 65536 ? 4 : 10
            #expect(bytes.count == head + count + (mask == nil ? 0 : 4))
            #expect(FrameReading([bytes], role) == FrameReading([.message(content, isText: false)]))
            #expect(FrameReading(bytes.cuts[5 % bytes.cuts.count], role).events.count == 1)
        }
    }

    @Test("have an unpredictable mask: no two alike among thousands, each bit set half of the time")
    func masks() {
        let masks = (0..<4096).map { _ in SocketMask.random().word }
        #expect(Set(masks).count > 4090)
        for bit in 0..<32 {
            let count = masks.count { $0 >> bit & 1 == 1 }
            #expect(1700...2400 ~= count)
        }
    }

    @Test(
        "of a close have a code allowed on the wire, all others are faults",
        arguments: [
            ([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999], true),
            ([0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535], false),
        ] as [([UInt16], Bool)]
    )
    func codes(_ codes: [UInt16], areGood: Bool) {
        for code in codes {
            let frame = SocketFrame(.close, Data([UInt8(code >> 8), UInt8(code & 0xFF)]))
            let expected = areGood ? FrameReading([.close(code: code, reason: "")]) : FrameReading([], fault: 1002)
            #expect(FrameReading([frame.bytes(mask: nil)]) == expected)
            #expect(SocketCloseRules.content(code, "").isEmpty == !areGood)
        }
    }

    @Test("of a close carry as much of a reason as fits, cut between characters")
    func reasons() throws {
        let content = SocketCloseRules.content(1001, String(repeating: "ä", count: 100))
        #expect(content.count == 124)
        #expect(try SocketCloseRules.read(content).reason == String(repeating: "ä", count: 61))
    }

    @Test("beyond the limit are refused with their head, before their content arrives")
    func limit() {
        let head = Data([0x82, 0x7E, 0x00, 0xC9])
        #expect(FrameReading([head], limit: 201) == FrameReading([]))
        #expect(FrameReading([head], limit: 200) == FrameReading([], fault: 1009))
        let fragments = Data(frames: [.text("12345", isFinal: false), .more("678", isFinal: false), .more("9")])
        #expect(FrameReading([fragments], limit: 9).events == [.text("123456789")])
        #expect(FrameReading([fragments], limit: 8) == FrameReading([], fault: 1009))
    }
}

struct FrameReading: Equatable, CustomStringConvertible {
    var events: [SocketReader.Event] = []
    var fault: UInt16?

    init(_ pieces: [Data], _ role: SocketRole = .client, limit: Int = 1 << 20, deflate: DeflateAgreement? = nil) {
        var reader = SocketReader(role, limit: limit, deflate: deflate)
        do throws(SocketFault) {
            for piece in pieces {
                reader.feed(piece)
                while let event = try reader.next() { events.append(event) }
            }
        } catch {
            fault = error.code
        }
    }

    init(_ events: [SocketReader.Event], fault: UInt16? = nil) { (self.events, self.fault) = (events, fault) }

    var description: String { "\(events)\(fault.map { " fault \($0)" } ?? "")" }
}

extension Data {
    /// In two pieces, and byte by byte; what is long is cut in its heads only.
    var cuts: [[Data]] {
        let all = Array(self)
        let pairs = (0...Swift.min(all.count, 300)).map { [Data(all[..<$0]), Data(all[$0...])] }
        return all.count > 1000 ? pairs.suffix(20) + pairs.prefix(20) : pairs + [all.map { Data([$0]) }]
    }

    init(frames: [SocketFrame], mask: SocketMask? = nil) {
        self.init()
        for frame in frames { frame.append(to: &self, mask: mask) }
    }
}

extension SocketFrame {
    static func text(_ text: String, isFinal: Bool = true) -> SocketFrame {
        SocketFrame(.text, Data(text.utf8), isFinal: isFinal)
    }

    static func more(_ text: String, isFinal: Bool = true) -> SocketFrame {
        SocketFrame(.continuation, Data(text.utf8), isFinal: isFinal)
    }
}

extension SocketReader.Event {
    static func text(_ text: String) -> SocketReader.Event { .message(Data(text.utf8), isText: true) }
    static func binary(_ count: Int) -> SocketReader.Event { .message(Data(count: count), isText: false) }
}
