import CoreNetKitEssentials
import CoreNetKitSystem
import CoreNetKitWire
import TestPace
import Testing

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
