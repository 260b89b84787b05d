import CoreNetKitJson
import TestPace

@Suite("JSON grammar", .timeLimit(.minutes(10)), .paced)
struct JsonGrammarTests {
    static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "123456789012345678901234567890", "1.5", "-1.5", "0.0",
        "1e5", "1E5", "1e+5", "1E-5", "0e1", "0e+1", "1.5e10", "-0.0e-0", "1e400", "1e-400", "1e99999999999999999999",
        "\"\"", "\"a\"", "\"\u{7F}\"", "\"\u{2028}\u{2029}\"", "\"é\"", "\"😀\"", "\"\u{FFFF}\"",
        "\"\u{0}\"".replacing("\u{0}", with: "\\u0000"),
        #""\"\\\/\b\f\n\r\t""#, #""\u0041""#, #""\u00e9""#, #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\uFFFF""#,
        #""\\u0041""#,
        "[]", "[ ]", "[1]", "[1,2]", "[[]]", "[null,true,1,\"a\",{}]", "{}", "{ }", "{\"a\":1}", "{\"\":0}",
        "{\"a\":1,\"b\":2}", "{\"a\":{\"b\":[{}]}}", "{\"a\":1,\"a\":2}", " 1 ", "\t1\n", "\r\n[\r\n]\r\n",
        "{ \"a\" : [ 1 , 2 ] }", "\u{FEFF}1", "\u{FEFF} {}",
    ]

    static let refused: [String] = [
        "", " ", "\n", "nul", "nulll", "Null", "NULL", "tru", "truee", "fals", "True", "NaN", "Infinity", "-Infinity",
        "inf", "undefined", "-", "+1", "--1", "01", "-01", "00", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1eE2",
        "1e1.5", "0x10", "1 2", "1a", "1_000", "1,000", "\u{FF11}", "0.", "2.e3", "- 1", "1e 5",
        "\"", "\"a", "a\"", "'a'", "\"\\\"", "\"\\x\"", "\"\\a\"", "\"\\u\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\u 123\"",
        "\"\\U0041\"", "\"\\",
        "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "\"a\"b", "\"\\\u{1}\"", #""\u00A""#, #""\u+041""#,
        #""\uD800""#, #""\uDC00""#, #""\uD800\u0041""#, #""\uD800\uD800""#, #""\uDE00\uD83D""#, #""\uD800x""#,
        #""\uD800\n""#, #"{"\uD800":1}"#,
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "[1:2]", "[]]", "[][]", "[a]",
        "[\"a]", "{", "}", "{1:2}", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{\"a\":1,}", "{,\"a\":1}",
        "{\"a\":1 \"b\":2}", "{\"a\":1,,\"b\":2}", "{\"a\"::1}", "{\"a\":1]", "{\"a\":1}}", "{}{}", "{null:1}",
        "{\"a\",1}",
        "// c\n1", "1 // c", "/* c */ 1", "1 #", "\u{0C}1", "\u{0B}1", "\u{A0}1", "\u{2060}1", "1\u{0}",
        "\u{FEFF}\u{FEFF}1", "1\u{FEFF}", "<a/>",
    ]

    @Test("accepts what RFC 8259 allows, and writes it so that it reads the same", arguments: accepted)
    func accepts(text: String) throws {
        let json = try Json(parsing: text)
        #expect(try Json(parsing: json.data()) == json)
        #expect(try Json(parsing: json.data(pretty: true)) == json)
        #expect(try Json(parsing: Data(text.utf8)) == json)
    }

    @Test("refuses what RFC 8259 does not allow", arguments: refused)
    func refuses(text: String) {
        #expect(throws: JsonError.self) { try Json(parsing: text) }
        #expect(throws: JsonError.self) { try Json(parsing: Data(text.utf8)) }
    }

    @Test(
        "refuses bytes that are not UTF-8, wherever they stand",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x28, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22], [0x22, 0xE0, 0xFF, 0x22], [0x22, 0x81, 0x22],
            [0x22, 0xE2, 0x82, 0x22], [0xE9], [0x31, 0xFF],
            [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D],
            // UTF-16 and UTF-32
            [0xFF, 0xFE, 0x31, 0x00], [0xFE, 0xFF, 0x00, 0x31], [0x31, 0x00], [0x00, 0x31], [0x31, 0x00, 0x00, 0x00],
            // Half a byte order mark
            [0xEF, 0xBB, 0x31], [0xEF], [0xEF, 0xBB, 0xBF],
        ] as [[UInt8]]
    )
    func refusesOtherEncodings(bytes: [UInt8]) {
        #expect(throws: JsonError.self) { try Json(parsing: Data(bytes)) }
    }

    @Test(
        "says where the fault is, what was expected and what was found",
        arguments: [
            ("", "expected a JSON value, found no bytes"),
            (#"{"a":1"#, "expected ',' or '}', found the end of the text at line 1, column 7 (byte 6)"),
            ("{\n  \"a\": [1,\n    x]\n}", "expected a value, found 'x' at line 3, column 5 (byte 17)"),
            ("[1] x", "expected the end of the text, found 'x' at line 1, column 5 (byte 4)"),
            ("[1,]", "expected a value, found ']' at line 1, column 4 (byte 3)"),
            ("tru", "expected 'true', found the end of the text at line 1, column 4 (byte 3)"),
            ("007", "expected a number without leading zeros, found '0' at line 1, column 2 (byte 1)"),
            ("\"\u{1}\"", "expected an escape for a control character, found byte 0x01 at line 1, column 2 (byte 1)"),
            (#"["\uD800"]"#, "expected a whole surrogate pair, found half of one at line 1, column 3 (byte 2)"),
            ("<html>", "expected a value, found '<' at line 1, column 1 (byte 0)"),
        ]
    )
    func describesTheFault(text: String, description: String) {
        let error = #expect(throws: JsonError.self) { try Json(parsing: text) }
        #expect(error.map { "\($0)" } == description)
    }

    @Test("points at the byte that is not UTF-8")
    func pointsAtTheByte() {
        let error = #expect(throws: JsonError.self) { try Json(parsing: Data([0x22, 0xC3, 0xA9, 0x61, 0xFF, 0x22])) }
        #expect(error?.position?.offset == 4)
        #expect(error?.message == "expected UTF-8, found byte 0xFF")
    }

    @Test("reads 512 levels and refuses 513, in arrays and in objects")
    func limitsDepth() throws {
        func arrays(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        func objects(_ depth: Int) -> String {
            String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        }
        for text in [arrays(512), objects(512)] { #expect(try Json(parsing: text).text() == text) }
        for text in [arrays(513), objects(513)] {
            let error = #expect(throws: JsonError.self) { try Json(parsing: text) }
            #expect(error?.code == .tooDeep)
        }
    }

    @Test("refuses ten megabytes of brackets at once", arguments: ["[", #"{"":"#, #"[{"":"#])
    func refusesBrackets(unit: String) {
        let data = Data(String(repeating: unit, count: 10_000_000 / unit.utf8.count).utf8)
        let start = ContinuousClock.now
        let error = #expect(throws: JsonError.self) { try Json(parsing: data) }
        #expect(error?.code == .tooDeep)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("refuses to write what is nested too deeply to be read")
    func limitsDepthOfWriting() {
        var json: Json = 1
        for _ in 0..<512 { json = [json] }
        #expect(throws: Never.self) { try json.data() }
        let deeper: Json = [json]
        #expect(throws: JsonError.self) { try deeper.data() }
        #expect(deeper.description.hasPrefix("<no JSON"))
    }

    @Test("survives any cut and any changed byte of a text without a trap")
    func survivesDamage() throws {
        let text = #"{"a":[1,-2.5e3,true,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":[]}}"#
        let bytes = Array(text.utf8)
        for end in bytes.indices { #expect(throws: JsonError.self) { try Json(parsing: Data(bytes[..<end])) } }
        for index in bytes.indices {
            for byte in [0x00, 0x22, 0x5C, 0x5B, 0x7B, 0x2C, 0x80, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = byte
                guard let json = try? Json(parsing: Data(damaged)) else { continue }
                #expect(try Json(parsing: json.data()) == json)
            }
        }
    }

    @Test("escapes what must be escaped and nothing else")
    func escapes() throws {
        let json: Json = ["\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é😀\u{2028}"]
        #expect(try json.text() == "[\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é😀\u{2028}\"]")
    }

    @Test("writes pretty and sorted on demand")
    func writesForms() throws {
        let json: Json = ["b": [1, [], ["x": nil]], "a": [:]]
        #expect(json.description == #"{"b":[1,[],{"x":null}],"a":{}}"#)
        #expect(try json.text(sortedKeys: true) == #"{"a":{},"b":[1,[],{"x":null}]}"#)
        #expect(
            try json.text(pretty: true) == """
                {
                  "b": [
                    1,
                    [],
                    {
                      "x": null
                    }
                  ],
                  "a": {}
                }
                """
        )
    }
}
