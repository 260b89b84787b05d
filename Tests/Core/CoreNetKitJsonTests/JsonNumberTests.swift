import CoreNetKitJson
import TestPace

@Suite("JSON numbers", .timeLimit(.minutes(10)), .paced)
struct JsonNumberTests {
    static let texts = [
        "0", "-0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "0.1", "0.10", "1.0", "1e400",
        "-1E-400", "1e+2", "12345678901234567890123456789012345678901234567890", "9007199254740993",
        "3.14159265358979323846264338327950288419716939937510", "0.1e00", "1e99999999999999999999",
        "100000000000000000000", "0.30000000000000000001", "-0.0",
    ]

    @Test("the text of a number survives reading and writing", arguments: texts)
    func survivesRoundTrip(text: String) throws {
        let data = Data("{\"n\":[\(text)]}".utf8)
        #expect(try Json(parsing: data).data() == data)
        #expect(try Json(parsing: text).number == text)
        #expect(Json(number: text)?.description == text)
    }

    @Test("integers are exact to the ends of Int64 and UInt64, however they are written")
    func integers() throws {
        #expect(try Json(parsing: "9223372036854775807").int64 == .max)
        #expect(try Json(parsing: "-9223372036854775808").int64 == .min)
        #expect(try Json(parsing: "9223372036854775808").int64 == nil)
        #expect(try Json(parsing: "-9223372036854775809").int64 == nil)
        #expect(try Json(parsing: "18446744073709551615").uint64 == .max)
        #expect(try Json(parsing: "18446744073709551616").uint64 == nil)
        #expect(try Json(parsing: "-1").uint64 == nil)
        for (text, value) in [
            ("9007199254740993.0", 9_007_199_254_740_993), ("1e2", 100), ("120e-1", 12), ("1.5", nil), ("1e400", nil),
            ("-0", 0), ("0e99999999999999999999", 0),
        ] as [(String, Int?)] { #expect(try Json(parsing: text).int == value, "\(text)") }
    }

    @Test("doubles are nil out of range, decimals are nil when digits would be lost")
    func fractions() throws {
        for (text, value) in [
            ("0.1", 0.1), ("1e400", nil), ("-1e400", nil), ("1e-400", nil), ("0e-400", 0), ("\"1\"", nil),
        ]
            as [(String, Double?)]
        { #expect(try Json(parsing: text).double == value, "\(text)") }
        #expect(try Json(parsing: "0.10").decimal == Decimal(string: "0.1"))
        #expect(try Json(parsing: "18446744073709551616").decimal == Decimal(string: "18446744073709551616"))
        #expect(try Json(parsing: "3.14159265358979323846264338327950288419716939937510").decimal == nil)
        #expect(try Json(parsing: "1e400").decimal == nil)
    }

    @Test(
        "numbers are equal by value, and hash alike",
        arguments: [
            ("1", "1.0"), ("1", "1e0"), ("1", "10e-1"), ("100", "1e2"), ("0.1", "0.10"), ("0.1", "1e-1"), ("0", "-0"),
            ("0", "0.0e7"), ("1e400", "10e399"), ("-5", "-5.00"), ("18446744073709551616", "18446744073709551616.0"),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ]
    )
    func equal(left: String, right: String) throws {
        let (left, right) = (try Json(parsing: left), try Json(parsing: right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(
        "numbers that differ in a far digit are not equal",
        arguments: [
            ("9007199254740992", "9007199254740993"), ("9223372036854775807", "9223372036854775807.1"), ("1", "-1"),
            ("0.1", "0.1000000000000000000000000000001"), ("1e400", "1e401"),
            ("1e99999999999999999999", "1e99999999999999999998"), ("10", "1"), ("1", "1e-1"), ("0", "1e-400"),
        ]
    )
    func different(left: String, right: String) throws {
        #expect(try Json(parsing: left) != Json(parsing: right))
        #expect(try Json(parsing: right) != Json(parsing: left))
    }

    @Test(
        "a number made from text must be one",
        arguments: ["", "a", "1 ", " 1", "01", "1.", "null", "\"1\"", "[1]", "NaN"]
    )
    func refusesOtherText(text: String) { #expect(Json(number: text) == nil) }

    @Test("Swift numbers become the same numbers")
    func fromSwift() throws {
        #expect(Json(Int64.min).description == "-9223372036854775808")
        #expect(Json(UInt64.max).description == "18446744073709551615")
        #expect(Json(Int128.max).description == "170141183460469231731687303715884105727")
        #expect((1.5 as Json).description == "1.5")
        #expect(try Json(0.1 as Any).description == "0.1")
        #expect(try Json(Float(0.1) as Any).description == "0.1")
        #expect(try Json(Decimal(string: "0.1") as Any).description == "0.1")
        #expect(throws: JsonError.self) { try Json(Double.nan as Any) }
        #expect(throws: JsonError.self) { try Json(-Double.infinity as Any) }
        #expect(throws: JsonError.self) { try Json(Decimal.nan as Any) }
    }
}
