import CoreNetKitSystem
import CoreNetKitWire
import TestPace

@Suite("WebSocket texts", .timeLimit(.minutes(10)), .paced)
struct SocketTextTests {
    /// Autobahn 6.5 to 6.21: first and last characters of each length, non-characters.
    static let good: [[UInt8]] = [
        [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5], [0x00], [0xC2, 0x80],
        [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80], [0x7F], [0xDF, 0xBF], [0xEF, 0xBF, 0xBF],
        [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD],
        [0xEF, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBE],
    ]

    /// With the first byte that cannot be right.
    static let bad: [([UInt8], Int)] = [
        ([0x80], 0), ([0xBF], 0), ([0x80, 0xBF], 0), ([0xC0, 0x20], 0), ([0xFC, 0x20], 0), ([0xFE], 0), ([0xFF], 0),
        ([0xC2, 0x20], 1), ([0xE1, 0x80, 0x20], 2), ([0xC0, 0xAF], 0), ([0xE0, 0x80, 0xAF], 1),
        ([0xF0, 0x80, 0x80, 0xAF], 1), ([0xC1, 0xBF], 0), ([0xE0, 0x9F, 0xBF], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
        ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80], 0),
        ([0xF7, 0xBF, 0xBF, 0xBF], 0), ([0xF8, 0x88, 0x80, 0x80, 0x80], 0),
        ([0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xED, 0xA0, 0x80], 12),
    ]

    @Test("are UTF-8, with their characters cut anywhere, across fragments too", arguments: good)
    func accepted(_ text: [UInt8]) {
        let bytes = Data("abcdefgh".utf8) + text + Data("z".utf8)
        let whole = SocketFrame(.text, bytes).bytes(mask: nil)
        let expected = FrameReading([.message(bytes, isText: true)])
        #expect(whole.cuts.allSatisfy { FrameReading($0) == expected })
        for place in 0...bytes.count {
            let frames = [
                SocketFrame(.text, bytes.prefix(place), isFinal: false),
                SocketFrame(.continuation, bytes.dropFirst(place)),
            ]
            #expect(FrameReading([Data(frames: frames)]) == expected)
        }
    }

    @Test("that cannot become UTF-8 are a fault at their first wrong byte", arguments: bad)
    func refused(_ text: [UInt8], wrong: Int) {
        let bytes = Data("abcdefgh".utf8) + text
        let whole = SocketFrame(.text, bytes).bytes(mask: nil)
        #expect(whole.cuts.allSatisfy { FrameReading($0) == FrameReading([], fault: 1007) })
        let known = Data(whole.prefix(2 + 8 + wrong))
        #expect(FrameReading([known]).fault == nil)
        #expect(FrameReading([known + [text[wrong]]]).fault == 1007)
    }

    @Test("that end within a character are a fault, a fragment that does so is not")
    func cut() {
        let half = Data([0xE1, 0xBD])
        #expect(FrameReading([SocketFrame(.text, half).bytes(mask: nil)]).fault == 1007)
        #expect(FrameReading([SocketFrame(.text, half, isFinal: false).bytes(mask: nil)]).fault == nil)
        let end = [SocketFrame(.text, half, isFinal: false), SocketFrame(.continuation)]
        #expect(FrameReading([Data(frames: end)]).fault == 1007)
        #expect(FrameReading([SocketFrame(.binary, half).bytes(mask: nil)]).fault == nil)
    }

    @Test("are judged as by Swift's own decoder", arguments: [1, 2, 3] as [UInt64])
    func asSwift(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xF0, 0xF4,
        ]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            var check = UTF8Check()
            let isText = bytes.withUnsafeBytes { check.accepts($0) } && check.isWhole
            if isText != (String(validating: bytes, as: UTF8.self) != nil) { Issue.record("\(bytes)") }
        }
    }
}

@Suite(
    "Compressed WebSocket messages",
    .timeLimit(.minutes(10)),
    .enabled(if: MessageCodec.isAvailable, "needs libz.so.1"),
    .paced
)
struct SocketDeflateTests {
    /// RFC 7692, 7.2.3: bytes of the wire for "Hello".
    static let examples: [(String, [UInt8], Int)] = [
        ("one block", [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], 1),
        ("fragments", [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00], 1),
        (
            "the second with the window of the first",
            [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00], 2
        ),
        ("stored", [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], 1),
        ("a last block", [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], 1),
        ("two blocks", [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], 1),
        (
            "a last block, and the window behind it",
            [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00], 2
        ),
    ]

    @Test("are read as RFC 7692 shows them, wherever they are cut", arguments: examples)
    func read(_ name: String, _ bytes: [UInt8], count: Int) {
        let expected = FrameReading(Array(repeating: .text("Hello"), count: count))
        for cut in Data(bytes).cuts { #expect(FrameReading(cut, deflate: DeflateAgreement()) == expected) }
    }

    @Test(
        "pass from one end to the other with every window, with and without earlier context",
        arguments: [8, 9, 12, 15],
        [true, false]
    )
    func roundTrip(_ bits: Int, keeps: Bool) throws {
        var agreement = DeflateAgreement()
        (agreement.clientBits, agreement.clientKeeps) = (bits, keeps)
        let deflater = try #require(agreement.deflater(for: .client))
        var random = SplitMix64(seed: UInt64(bits))
        var reader = SocketReader(.server, limit: 1 << 20, deflate: agreement)
        let first = String(repeating: "the same words again and again, ", count: 40)
        var sizes: [Int] = []
        for index in 0..<60 {
            let noise = (0..<(index * 97)).map { _ in UInt8.random(in: 97...122, using: &random) }
            let message = index == 0 ? Data() : Data(first.utf8) + noise
            let content = try #require(deflater.compress(message))
            sizes.append(content.count)
            reader.feed(SocketFrame(.text, content, isCompressed: true).bytes(mask: .random()))
            #expect(try reader.next() == .message(message, isText: true))
        }
        #expect(sizes[1] < 200)
    }

    @Test("that do not decompress are a fault, and so are those not agreed on")
    func damaged() {
        let frame = Data([0xC1, 0x03, 0xFF, 0xFF, 0xFF])
        #expect(FrameReading([frame], deflate: DeflateAgreement()) == FrameReading([], fault: 1007))
        #expect(FrameReading([frame]) == FrameReading([], fault: 1002))
        let within = Data([0x41, 0x00, 0xC0, 0x00])
        #expect(FrameReading([within], deflate: DeflateAgreement()) == FrameReading([], fault: 1002))
        let text = Data([0xC1, 0x07, 0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF, 0x00])
        #expect(FrameReading([text], deflate: DeflateAgreement()) == FrameReading([], fault: 1007))
    }

    @Test("that grow beyond the limit or the ratio are refused while they arrive")
    func expansion() throws {
        let deflater = try #require(DeflateAgreement().deflater(for: .server))
        let zeros = try #require(deflater.compress(Data(count: 4 << 20)))
        #expect(zeros.count < 8192)
        let bytes = SocketFrame(.binary, zeros, isCompressed: true).bytes(mask: nil)
        #expect(FrameReading([bytes], limit: 1 << 20, deflate: .init()).fault == 1009)
        #expect(FrameReading([bytes], limit: 64 << 20, deflate: .init()).fault == 1009)
        let other = try #require(DeflateAgreement().deflater(for: .server))
        let little = try #require(other.compress(Data(count: 1 << 19)))
        let small = SocketFrame(.binary, little, isCompressed: true).bytes(mask: nil)
        #expect(FrameReading([small], deflate: DeflateAgreement()).events == [.binary(1 << 19)])
    }

    @Test("are marked only where they are: the others on the same connection are plain")
    func mixed() throws {
        let deflater = try #require(DeflateAgreement().deflater(for: .server))
        let content = try #require(deflater.compress(Data("Hello".utf8)))
        let frames = [SocketFrame.text("a"), SocketFrame(.text, content, isCompressed: true), .text("b")]
        let expected = FrameReading([.text("a"), .text("Hello"), .text("b")])
        #expect(FrameReading([Data(frames: frames)], deflate: DeflateAgreement()) == expected)
    }
}
