import CoreNetKitJson
import CoreNetKitSystem
import TestPace

@Suite("JSON decoding, compared with Foundation's", .timeLimit(.minutes(10)), .paced)
struct JsonDecodingTests {
    static let values: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "1.0", "1e2", "1E+2", "100e-2", "1.5", "-1.5e3", "127", "128",
        "-128", "-129", "255", "256", "32767", "32768", "-32769", "65535", "65536", "2147483647", "2147483648",
        "-2147483649", "4294967295", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
        "340282366920938463463374607431768211455", "340282366920938463463374607431768211456", "1e18", "1e19", "1e400",
        "-1e400", "1e-400", "0.1", "0.10", "0.30000000000000004", "123456.789e3", "1e22", "1e23", "5e-324", "2e-324",
        "1.7976931348623157e308", "1.7976931348623159e308", "3.4028234e38", "3.5e38", "1e-46", "16777217", "0.1e1",
        "12345678901234567890.12345678901234567890", "1e127", "1e128", "1e-128",
        "99999999999999999999999999999999999999",
        "1e-9223372036854775808", "1e9223372036854775807", "1e99999999999999999999", "0.000001", "-0.0",
        #""""#, #""x""#, #""1""#, #""low""#, #""LOW""#, #""a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00""#, #""é😀""#,
        #""AQID""#, #""AQI""#, #""AQ ID""#, #""AQID\n""#, #""https://a.b/c""#, #""a b""#, #""//""#, #""http://[""#,
        #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, #""2001-01-02T00:00:00Z""#, "[]", "[1]", "[1,2]", "[2,1]",
        "[1,1.0]",
        "[1,null]", #"["a"]"#, "[[1]]", "[{}]", "{}", #"{"a":1}"#, #"{"a":null}"#, #"{"1":"x"}"#, #"{"01":"x"}"#,
        #"{"red":1}"#, #"{"blue":1}"#, #"{"street":"x","points":[]}"#, #"{"street":"x","points":[1],"number":null}"#,
        #"{"points":[1,2.5],"street":"x","number":3}"#, #"{"a":1,"a":2}"#, #"{"\u0061":1,"a":2}"#,
        #"{"e\u0301":1,"é":2}"#, #"{"street":null,"points":[]}"#, #"{"street":"x","points":[],"points":[1]}"#,
    ]

    @Test(
        "scalars, containers and small models give the same values or both fail",
        arguments: DecodingComparison.scalars
    )
    func values(comparison: DecodingComparison) { compare(comparison, Self.values) }

    @Test("models give the same values", arguments: DecodingComparison.models)
    func models(comparison: DecodingComparison) { compare(comparison, comparison.texts) }

    private func compare(_ comparison: DecodingComparison, _ texts: [String]) {
        for text in texts {
            for coding in JsonCoding.all {
                let difference = comparison.difference(Data(text.utf8), coding)
                #expect(difference == nil, "\(comparison.name) from \(text) as \(coding)")
            }
        }
    }

    @Test(
        "models of changed documents give the same values or both fail, at the same place",
        arguments: DecodingComparison.models
    )
    func changedDocuments(comparison: DecodingComparison) async throws {
        for text in comparison.texts {
            var random = SplitMix64(seed: 7)
            let document = try Json(parsing: text)
            for round in 0..<Self.rounds {
                // Other tests wait for this thread.
                if round % 20 == 0 { await Task.yield() }
                var changer = DocumentChanger(random: random)
                let changed = changer.changed(document).description
                random = changer.random
                let difference = comparison.difference(Data(changed.utf8), .init())
                #expect(difference == nil, "\(comparison.name) from \(changed)")
            }
        }
    }

    @Test(
        "models of changed bytes give the same values or both fail, and nothing traps",
        arguments: DecodingComparison.models
    )
    func changedBytes(comparison: DecodingComparison) async {
        for text in comparison.texts {
            var random = SplitMix64(seed: 11)
            for round in 0..<Self.rounds {
                if round % 20 == 0 { await Task.yield() }
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(using: &random) }
                let difference = comparison.difference(Data(bytes), .init())
                #expect(difference == nil, "\(comparison.name) from \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    private static let rounds = TestRounds.count(100)
}

extension [UInt8] {
    fileprivate mutating func damage(using random: inout SplitMix64) {
        let marks = Array(#"{}[]",:\u0123456789.eE+-ntf "#.utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
        guard !isEmpty else { return append(marks[0]) }
        let index = Int.random(in: indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: self[index] = marks.randomElement(using: &random) ?? 0
        case 1: remove(at: index)
        case 2: insert(marks.randomElement(using: &random) ?? 0, at: index)
        default:
            let end = Int.random(in: index...Swift.min(index + 8, count - 1), using: &random)
            insert(contentsOf: self[index...end], at: Int.random(in: 0...count, using: &random))
        }
    }
}
