import CoreNetKitSystem
import TestPace

@Suite("Percent-encoding", .timeLimit(.minutes(10)), .paced)
struct PercentEncodingTests {
    @Test(
        "escapes everything in a component except unreserved characters",
        arguments: [
            ("", ""), ("azAZ09-._~", "azAZ09-._~"), ("1+1=2;a&b", "1%2B1%3D2%3Ba%26b"), ("%41", "%2541"),
            ("\u{0}\t\r\n\u{7F}", "%00%09%0D%0A%7F"), ("é", "%C3%A9"), ("€", "%E2%82%AC"),
            ("привет", "%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82"), ("👩‍🚀", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"),
        ]
    )
    func component(text: String, expected: String) { #expect(PercentEncoding.encode(text, as: .component) == expected) }

    @Test(
        "writes a form as the WHATWG serialiser does: *-._ stay, a space is +, ~ is escaped",
        arguments: [
            ("", ""), ("azAZ09*-._", "azAZ09*-._"), ("  ", "++"), ("a+b", "a%2Bb"), ("%20", "%2520"),
            ("\r\n", "%0D%0A"), ("ä ö", "%C3%A4+%C3%B6"),
        ]
    )
    func form(text: String, expected: String) { #expect(PercentEncoding.encode(text, as: .form) == expected) }

    @Test("escapes each of the 128 ASCII characters or keeps it, by each table")
    func everyASCIICharacter() {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let form = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._".utf8)
        let digits = Array("0123456789ABCDEF")
        for byte in UInt8(0)..<128 {
            let text = String(UnicodeScalar(byte))
            let escape = "%\(digits[Int(byte) / 16])\(digits[Int(byte) % 16])"
            #expect(PercentEncoding.encode(text, as: .component) == (unreserved.contains(byte) ? text : escape))
            let expected = form.contains(byte) ? text : byte == 32 ? "+" : escape
            #expect(PercentEncoding.encode(text, as: .form) == expected)
        }
    }

    @Test(
        "keeps whole escapes of a path and escapes a lone %",
        arguments: [
            ("/a%2Fb", "/a%2Fb"), ("/a%2fb", "/a%2fb"), ("/100%", "/100%25"), ("/%4", "/%254"), ("/%zz", "/%25zz"),
            ("/%%41", "/%25%41"), ("/a b/é", "/a%20b/%C3%A9"), ("/[x]\\", "/%5Bx%5D%5C"),
            ("/;v=1,2:@!$&'()*+", "/;v=1,2:@!$&'()*+"),
        ]
    )
    func keepingEscapes(text: String, expected: String) {
        #expect(PercentEncoding.encodeKeepingEscapes(text[...], as: .path) == expected)
    }

    @Test(
        "decodes leniently what it can, and strictly nothing malformed",
        arguments: [
            ("", "", ""), ("a%20b", "a b", "a b"), ("%c3%A9", "é", "é"), ("a+b", "a+b", "a+b"), ("%", "%", nil),
            ("%4", "%4", nil), ("%zz%41", "%zzA", nil), ("%%41", "%A", nil), ("%2", "%2", nil),
            ("%E2%82", "\u{FFFD}", nil), ("%FF", "\u{FFFD}", nil),
            ("%C0%80", "\u{FFFD}\u{FFFD}", nil), ("%00", "\u{0}", "\u{0}"), ("%EF%BB%BFx", "\u{FEFF}x", "\u{FEFF}x"),
        ] as [(String, String, String?)]
    )
    func decoding(text: String, lenient: String, strict: String?) {
        #expect(PercentEncoding.decode(text) == lenient)
        #expect(PercentEncoding.decodeStrictly(text) == strict)
    }

    @Test("reads + as a space in forms only")
    func plus() {
        #expect(PercentEncoding.decode("a+b%2Bc", plusIsSpace: true) == "a b+c")
        #expect(PercentEncoding.decode("a+b%2Bc") == "a+b+c")
        #expect(PercentEncoding.decodeStrictly("a+b%2Bc", plusIsSpace: true) == "a b+c")
    }

    @Test("decodes what it encoded, for random Unicode", arguments: 0..<20)
    func roundTrip(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let text = random.text()
            for table in [PercentEncoding.Table.component, .form, .path, .queryText] {
                let isForm = table.spaceIsPlus
                let encoded = PercentEncoding.encode(text, as: table)
                #expect(encoded.utf8.allSatisfy { $0 > 32 && $0 < 127 })
                #expect(
                    PercentEncoding.decodeStrictly(encoded, plusIsSpace: isForm).map { Array($0.utf8) }
                        == Array(text.utf8)
                )
                #expect(PercentEncoding.encodeKeepingEscapes(encoded[...], as: .queryText) == encoded)
            }
        }
    }

    @Test("writes and reads hex, and refuses anything else")
    func hex() {
        #expect(Hex.encode([0, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(Hex.decode("000Fa5fF") == [0, 0x0F, 0xA5, 0xFF])
        #expect(Hex.decode("") == [])
        for text in ["0", "0g", "é"] { #expect(Hex.decode(text) == nil, "\(text)") }
    }
}

@Suite("International names of hosts", .timeLimit(.minutes(10)), .paced)
struct PunycodeTests {
    @Test(
        "are written in ASCII, as RFC 3492 does, each label by itself",
        arguments: [
            ("", ""), ("A.org.", "a.org."), ("BÜCHER.Example", "xn--bcher-kva.example"), ("ä.Ü", "xn--4ca.xn--tda"),
            ("münchen-ost", "xn--mnchen-ost-9db"), ("straße", "xn--strae-oqa"), ("aä", "xn--a-0fa"), ("😀", "xn--e28h"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("そのスピードで", "xn--d9juau41awczczp"),
            ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
            ("Pročprostěnemluvíčesky", "xn--proprostnemluvesky-uyb24dma41a"),
            ("安室奈美恵-with-SUPER-MONKEYS", "xn---with-super-monkeys-pc58ag80a8qai00g7n9n"),
            ("ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"),
            // The Kelvin sign is not a k.
            ("a\u{212A}", "xn--a-4wn"),
            (String(repeating: "ä", count: 63), "xn--4c" + String(repeating: "a", count: 63)),
            (String(repeating: "ä", count: 64), String(repeating: "ä", count: 64)),
        ]
    )
    func host(name: String, expected: String) { #expect(Punycode.host(name) == expected) }
}
