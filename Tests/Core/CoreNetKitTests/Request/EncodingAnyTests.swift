import TestSupport

@Suite("Values of [String: Any]", .timeLimit(.minutes(10)), .paced)
struct EncodingAnyTests {
    private enum Level: Int { case low = 1, high = 7 }
    private enum Sort: String { case byName = "name" }
    private enum Nested: RawRepresentable {
        case only
        var rawValue: [Sort] { [.byName] }
        init?(rawValue: [Sort]) { nil }
    }
    private struct Flags: OptionSet { let rawValue: UInt8 }

    /// Built inside the test, because `Any` is no `Sendable` argument.
    @Test("accepts numbers, text, Booleans, dates and wrappers of them")
    func scalars() throws {
        let id = UUID()
        let table: [(Any, ParameterValue)] = [
            ("text", "text"), ("a1b".dropFirst(), "1b"), (Character("é"), "é"),
            (true, true), (false, false),
            (1, .number("1")), (Int8.min, .number("-128")), (UInt16.max, .number("65535")),
            (Int64.min, .number("-9223372036854775808")), (UInt64.max, .number("18446744073709551615")),
            (UInt(7), .number("7")), (Int32(-1), .number("-1")),
            (0.1, .number("0.1")), (5.0, .number("5.0")), (Float(0.1), .number("0.1")), (1e300, .number("1e+300")),
            (Decimal(string: "12345678901234567890.123456789") as Any, .number("12345678901234567890.123456789")),
            (Date(timeIntervalSince1970: 1.5), .date(Date(timeIntervalSince1970: 1.5))),
            (id, .string(id.uuidString)),
            (URL(string: "https://h/?a=b") as Any, .string("https://h/?a=b")),
            (Optional(5) as Any, .number("5")), (Optional<Int>.none as Any, nil), (Int??.some(.none) as Any, nil),
            (Level.high, .number("7")), (Sort.byName, "name"), (Nested.only, ["name"]),
            (Flags(rawValue: 5), .number("5")),
            (AnyHashable("x"), "x"), (ParameterValue.bool(true), true),
            ([1, 2], [1, 2]), ([Int](), []), ([1, "a", nil, [true]] as [Any?], [1, "a", nil, [true]]),
            (["a": 1], ["a": 1]), (["a": nil, "b": ["c": Level.low]] as [String: Any?], ["a": nil, "b": ["c": 1]]),
            ([:] as [String: Any], [:]), (["a": 1] as [AnyHashable: Any], ["a": 1]),
        ]
        for (any, expected) in table {
            #expect(try ParameterValue(any: any) == expected, "\(type(of: any))")
        }
    }

    @Test("distinguishes a Boolean from the numbers 0 and 1 in what JSONSerialization reads")
    func foundationObjects() throws {
        let json = Data(#"{"a":1,"b":true,"c":null,"d":1.5,"e":[0,false],"f":"x","g":18446744073709551615}"#.utf8)
        let object = try JSONSerialization.jsonObject(with: json)
        #expect(
            try ParameterValue(any: object) == [
                "a": 1, "b": true, "c": nil, "d": 1.5, "e": [0, false], "f": "x", "g": .number("18446744073709551615"),
            ]
        )
        #expect(try ParameterValue(any: NSString("text")) == "text")
        #expect(try ParameterValue(any: NSNumber(value: 2)) == 2)
    }

    @Test("accepts JSON, every digit of its numbers, and the first of two members with one name")
    func json() throws {
        let text = #"{"a":1e400,"b":[true,null,"x",{"c":-0.10}],"d":18446744073709551615,"e":1,"e":2}"#
        let expected: ParameterValue = [
            "a": .number("1e400"), "b": [true, nil, "x", ["c": .number("-0.10")]],
            "d": .number("18446744073709551615"), "e": 1,
        ]
        #expect(try ParameterValue(json: Json(parsing: text)) == expected)
        #expect(try ParameterValue(json: Json(undecoded: Data(text.utf8))) == expected)
        #expect(try ParameterValue(any: ["k": Json(parsing: text)]) == ["k": expected])
        #expect(throws: RequestEncodingError.self) { try ParameterValue(json: Json(undecoded: Data("{".utf8))) }
    }

    private final class Owner: CustomStringConvertible { let description = "secret" }
    private struct Point { let x = 0 }

    @Test("names the key and the type of an unsupported value, without the value")
    func errors() {
        let table: [(Any, String)] = [
            (["filter": ["owner": Owner()]], "filter.owner: Owner is not a query or form value"),
            (["a": ["b": [1, Point()]]], "a.b[1]: Point is not a query or form value"),
            (["a": [["b": Data([1])]]], "a[0].b: Data is not a query or form value"),
            (["s": Set([1])], "s: Set<Int> is not a query or form value"),
            (["d": [1: 2]], "d: Dictionary<Int, Int> is not a query or form value"),
            (["f": { 1 } as () -> Int], "f: () -> Int is not a query or form value"),
            (["o": Optional(Point()) as Any], "o: Point is not a query or form value"),
            (["n": Double.nan], "n: a number that is not finite"),
            (["n": -Float.infinity], "n: a number that is not finite"),
            (["n": Decimal.nan], "n: a number that is not finite"),
            (["t": Date(timeIntervalSince1970: .infinity)], "t: a date that is not finite"),
            (["z": Owner(), "a": Owner()], "a: Owner is no"),
            (Owner(), "Owner is not a query or form value"),
        ]
        for (any, message) in table {
            let error = #expect(throws: RequestEncodingError.self) { try ParameterValue(any: any) }
            #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "") / \(message)")
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test("refuses nesting deeper than 128 instead of overflowing the stack")
    func depth() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { value, _ in [value] } }
        #expect(throws: Never.self) { try ParameterValue(any: nested(128)) }
        let error = #expect(throws: RequestEncodingError.self) { try ParameterValue(any: ["k": nested(1000)]) }
        #expect(error?.reason == "nested more than 128 deep")
    }

    @Test(
        "writes dates by the strategy",
        arguments: [
            (.iso8601, 0, "1970-01-01T00:00:00Z"),
            (.iso8601, 1_769_862_600.9, "2026-01-31T12:30:00Z"),
            (.iso8601, -0.5, "1969-12-31T23:59:59Z"),
            (.iso8601WithMilliseconds, 0.25, "1970-01-01T00:00:00.250Z"),
            (.iso8601WithMilliseconds, 0.9996, "1970-01-01T00:00:01.000Z"),
            (.iso8601WithMilliseconds, -0.001, "1969-12-31T23:59:59.999Z"),
            (.secondsSince1970, 1_769_862_600, "1769862600"),
            (.secondsSince1970, -1.5, "-1.5"),
            (.millisecondsSince1970, 1_769_862_600.25, "1769862600250"),
        ] as [(ParameterStrategies.DateEncoding, Double, String)]
    )
    func dates(strategy: ParameterStrategies.DateEncoding, seconds: Double, expected: String) throws {
        let value = try ParameterValue(any: ["t": Date(timeIntervalSince1970: seconds)])
        #expect(try ParameterStrategies(date: strategy).items(value) == [.init("t", expected)])
    }

    @Test(
        "names the key of a date outside its format",
        arguments: [
            (.iso8601, 1e13), (.iso8601, -1e13), (.iso8601, .infinity), (.secondsSince1970, .nan),
            (.millisecondsSince1970, 1e300), (.iso8601WithMilliseconds, 1e15),
        ] as [(ParameterStrategies.DateEncoding, Double)]
    )
    func dateOutOfRange(strategy: ParameterStrategies.DateEncoding, seconds: Double) {
        let value: ParameterValue = ["a": ["t": .date(Date(timeIntervalSince1970: seconds))]]
        let error = #expect(throws: RequestEncodingError.self) { try ParameterStrategies(date: strategy).query(value) }
        #expect(error?.path == "a.t")
    }
}
