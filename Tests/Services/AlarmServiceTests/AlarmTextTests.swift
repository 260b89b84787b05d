import TestSupport

@testable import AlarmService

@Suite("The sender's name in an alarm is marked, and nothing else is changed", .timeLimit(.minutes(10)), .paced)
struct AlarmTextTests {
    /// Highlighted segments are in brackets of mathematics, which no vector has in its text; the range is start and length.
    typealias Vector = (
        number: Int, nick: String, message: String, head: String, segments: [String], range: (Int, Int)?, total: Int
    )

    static let decomposed = "\u{1109}\u{1175}\u{110C}\u{1161}\u{11A8}"

    static let vectors: [Vector] = [
        (1, "시작", "<시작>님이 방송을 시작했습니다.", "", ["⟦시작⟧", "님이 방송을 시작했습니다."], (0, 2), 16),
        (2, "시작", "시작합니다. \"<시작>\"이", "", ["시작합니다. \"", "⟦시작⟧", "\"이"], (8, 2), 12),
        (3, "시작", "시작합니다. \"<시작>\"이", "새 글", ["시작합니다. \"", "⟦시작⟧", "\"이: 새 글"], (8, 2), 17),
        (4, "สมชาย", "เริ่มถ่ายทอดสดแล้ว โดย <สมชาย>", "สวัสดี", ["เริ่มถ่ายทอดสดแล้ว โดย ", "⟦สมชาย⟧", ": สวัสดี"], (23, 5), 36),
        (5, "kim", "kimchi party by <kim>!", "", ["kimchi party by ", "⟦kim⟧", "!"], (16, 3), 20),
        (6, "kim", "kim started", "hi", ["kim startedhi"], nil, 13),
        (7, "kim", "<lee> started", "hi", ["<lee> startedhi"], nil, 15),
        (8, "", "<> hello", "h", ["<> helloh"], nil, 9),
        (9, "a>b", "<a>b> joined", "", ["⟦a>b⟧", " joined"], (0, 3), 10),
        (10, "<kim>", "<<kim>> joined", "", ["⟦<kim>⟧", " joined"], (0, 5), 12),
        (11, "kim", "<<kim>> joined", "", ["<", "⟦kim⟧", "> joined"], (1, 3), 12),
        (12, "kim", "<kim><kim> x", "", ["⟦kim⟧", "<kim> x"], (0, 3), 10),
        (13, "kim", "5 < 6 and <kim> > 4", "", ["5 < 6 and ", "⟦kim⟧", " > 4"], (10, 3), 17),
        (14, "👨‍👩‍👧", "x <👨‍👩‍👧> y", "", ["x ", "⟦👨‍👩‍👧⟧", " y"], (2, 8), 12),
        (15, "\u{E9}", "<e\u{301}> caf", "", ["⟦\u{E9}⟧", " caf"], (0, 1), 5),
        (16, "시작", "<\(decomposed)>님이", "", ["⟦시작⟧", "님이"], (0, 2), 4),
        (17, "kim", "<kim>\u{301} z", "", ["<kim>\u{301} z"], nil, 8),
        (18, "محمد", "بدأ <محمد> البث", "مرحبا", ["بدأ ", "⟦محمد⟧", " البث: مرحبا"], (4, 4), 20),
        (19, "שלום", "<שלום> התחיל", "", ["⟦שלום⟧", " התחיל"], (0, 4), 10),
        (20, "kim", "<Kim> started", "", ["<Kim> started"], nil, 13),
        (21, "kim", "<kim", "", ["<kim"], nil, 4),
        (22, "100%@", "<100%@> ok", "", ["⟦100%@⟧", " ok"], (0, 5), 8),
        (23, "kim", "<kim>", "head", ["⟦kim⟧", ": head"], (0, 3), 9),
        (24, "kim", "", "head", ["head"], nil, 4),
        (25, " kim ", "< kim > x", "", ["⟦ kim ⟧", " x"], (0, 5), 7),
        (26, "🇰🇷", "🇰🇷<🇰🇷>", "", ["🇰🇷", "⟦🇰🇷⟧"], (4, 4), 8),
        (27, "kim", "＜kim＞ x", "", ["＜kim＞ x"], nil, 7),
        (28, "kim", "", "", [], nil, 0),
    ]

    @Test("each vector gives its segments, the name's range as NSRange counts it, and its length", arguments: vectors)
    func vector(_ vector: Vector) {
        let text = AlarmText(message: vector.message, nick: vector.nick, head: vector.head)
        let segments = text.segments.map { $0.isHighlighted ? "⟦\($0.text)⟧" : $0.text }
        // Scalars, since `==` of strings does not tell composed from decomposed.
        #expect(segments.map { Array($0.unicodeScalars) } == vector.segments.map { Array($0.unicodeScalars) })
        #expect(text.highlightedRange == vector.range.map { $0.0..<$0.0 + $0.1 })
        let units = Array(text.plain.utf16)
        #expect(units.count == vector.total)
        if let range = text.highlightedRange { #expect(Array(units[range]) == Array(vector.nick.utf16)) }
    }

    @Test("a custom separator precedes the head if the name is not found")
    func separator() {
        let text = AlarmText(message: "kim started", nick: "kim", head: "hi", plainSeparator: " – ")
        #expect(text.plain == "kim started – hi")
        #expect(AlarmText(message: "kim started", nick: "kim", plainSeparator: " – ").plain == "kim started")
    }

    @Test("the attributed text has the same characters, and attributes only on the name", arguments: vectors)
    func attributed(_ vector: Vector) {
        let text = AlarmText(message: vector.message, nick: vector.nick, head: vector.head)
        var highlight = AttributeContainer()
        highlight.link = URL(string: "app://user")
        let attributed = AttributedString(text, highlight: highlight)
        #expect(String(attributed.characters[...]).unicodeScalars.elementsEqual(text.plain.unicodeScalars))
        let marked = attributed.runs.filter { $0.link != nil }.map { String(attributed.characters[$0.range]) }
        #expect(marked.joined() == (text.highlightedRange == nil ? "" : vector.nick))
    }

    @Test("the cost of a search depends only on the message's length", arguments: [0, 1, 2, 5])
    func growth(kinds: Int) {
        let growth = Counted.growth { elements in
            let text = elements.map { kinds == 0 ? $0 : $0.named($0.number % kinds) }
            let pattern = Array(text.prefix(text.count / 2)) + [elements[0].named(-1)]
            #expect(NameSearch.agreement(of: pattern, with: text).count == text.count)
        }
        #expect(growth > 8 && growth < 20)
    }

    @Test("a text too long for an alarm is not searched, and shown unchanged")
    func tooLong() {
        let filling = String(repeating: "<", count: 16 << 10)
        let message = filling + "<kim> started"
        #expect(AlarmText(message: message, nick: "kim").segments.map(\.text) == [message])
        let fits = String(filling.dropFirst(13)) + "<kim> started"
        #expect(AlarmText(message: fits, nick: "kim").segments.map(\.isHighlighted) == [false, true, false])
        let marks = String(repeating: "\u{202A}", count: 20_000) + String(repeating: "\u{2069}", count: 20_000)
        #expect(AlarmText(message: marks, nick: "kim").plain.unicodeScalars.count == 60_000)
    }

    @Test("no character outside the brackets is lost or added, for 20 000 random texts")
    func random() {
        var numbers = SplitMix64(seed: 7)
        var found = 0
        for _ in 0..<20_000 {
            let nick = Self.randomText(&numbers, 0...4)
            var message = Self.randomText(&numbers, 0...8)
            if Bool.random(using: &numbers) {
                message += "<" + nick + ">" + Self.randomText(&numbers, 0...6)
            }
            let head = Self.randomText(&numbers, 0...2)
            let text = AlarmText(message: message, nick: nick, head: head)
            #expect(!text.segments.contains { $0.text.isEmpty })
            guard let range = text.highlightedRange else {
                let whole = message + head
                #expect(text.plain.unicodeScalars.elementsEqual(whole.unicodeScalars))
                continue
            }
            found += 1
            let units = Array(text.plain.utf16)
            let tail = head.isEmpty ? "" : ": " + head
            // Put the brackets back: the message and its tail must be there again, save for another form of the name.
            let before = String(decoding: units[..<range.lowerBound], as: UTF16.self)
            let after = String(decoding: units[range.upperBound...], as: UTF16.self)
            let restored = before + "<" + nick + ">" + after
            #expect(restored == message + tail)
            #expect(message.unicodeScalars.starts(with: before.unicodeScalars))
            #expect((message + tail).unicodeScalars.reversed().starts(with: after.unicodeScalars.reversed()))
        }
        #expect(found > 5000)
    }

    private static let alphabet: [Unicode.Scalar] = Array(
        "<<>>a:k %@\u{301}\u{200D}\u{1109}\u{1175}\u{11A8}시e\u{E9}\u{FE0F}م\u{600}🇰🇷👨👩\r\n\u{0}＜＞".unicodeScalars
    )

    private static func randomText(_ numbers: inout SplitMix64, _ length: ClosedRange<Int>) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: length, using: &numbers) {
            text.append(alphabet.randomElement(using: &numbers) ?? "a")
        }
        return String(text)
    }
}
