import CoreNetKitJson
import TestPace

@Suite("JSON in Codable types", .timeLimit(.minutes(10)), .paced)
struct JsonCodableTests {
    private struct Holder: Codable, Equatable { var meta: Json }

    @Test(
        "a field carries every kind of value both ways",
        arguments: [
            "null", "true", "1", "-9223372036854775808", "18446744073709551615", "0.1", "1.5e10", "1e50", "1e-100",
            "\"x\"", "[]", "{}", "0.10",
            "[1,[2.5],null]", #"{"snake_case":{"camelCase":[true]}}"#, "1234567890123456789012.5",
        ]
    )
    func carries(text: String) throws {
        let value = try Json(parsing: text)
        let decoded = try JSONDecoder().decode(Holder.self, from: Data("{\"meta\":\(text)}".utf8))
        #expect(decoded.meta == value)
        let encoded = try JSONEncoder().encode(Holder(meta: value))
        #expect(try Json(parsing: encoded)["meta"] == value)
    }

    @Test(
        "a number that cannot be carried is an error, not a rounding",
        arguments: [
            "1e400", "12345678901234567890123456789012345678901234567890",
            "3.14159265358979323846264338327950288419716939937510", "1.2345678901234567e-200",
        ]
    )
    func refuses(text: String) throws {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Holder.self, from: Data("{\"meta\":\(text)}".utf8))
        }
        let holder = Holder(meta: try Json(parsing: text))
        if text != "1.2345678901234567e-200" {
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(holder) }
        }
    }

    @Test("a decoder that was given another one's userInfo reads its own text")
    func forwardedUserInfo() throws {
        struct Embedded: Decodable, Equatable {
            var meta: Json
            var inner: Json?
            enum CodingKeys: CodingKey { case meta, inner }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                meta = try container.decode(Json.self, forKey: .meta)
                guard let text = try container.decodeIfPresent(String.self, forKey: .inner) else { return }
                let other = JSONDecoder()
                // `Any` and `any Sendable` are one thing at run time; a client in Swift 5 mode just assigns.
                other.userInfo = unsafeBitCast(decoder.userInfo, to: [CodingUserInfoKey: any Sendable].self)
                inner = try other.decode(Embedded.self, from: Data(text.utf8)).meta
            }
        }
        let embedded: Embedded = try Json(parsing: #"{"meta":{"a":1},"inner":"{\"meta\":{\"a\":2}}"}"#).decode()
        #expect(embedded.meta == ["a": 1])
        #expect(embedded.inner == ["a": 2])
    }

    @Test("a field of a subclass and of a nested container is read at its place")
    func nestedFields() throws {
        class Parent: Decodable { var meta: Json }
        final class Child: Parent {
            var own: Json
            enum CodingKeys: CodingKey { case own, nest }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                var nest = try container.nestedUnkeyedContainer(forKey: .nest)
                _ = try nest.decode(Int.self)
                own = [try container.decode(Json.self, forKey: .own), try nest.decode(Json.self)]
                try super.init(from: container.superDecoder())
            }
        }
        let text = #"{"own":{"v":1},"nest":[0,{"v":2}],"super":{"meta":{"v":3}}}"#
        let child: Child = try Json(parsing: text).decode()
        #expect(child.own == [["v": 1], ["v": 2]])
        #expect(child.meta == ["v": 3])
    }

    @Test("key strategies do not change a value's members")
    func keyStrategies() throws {
        struct Outer: Codable { var someMeta: Json }
        let text = #"{"some_meta":{"inner_key":1,"innerKey":2}}"#
        let outer = try Json(parsing: text).decode(Outer.self, as: JsonCoding(keys: .snakeCase))
        #expect(outer.someMeta == ["inner_key": 1, "innerKey": 2])
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(try Json(parsing: encoder.encode(outer)) == Json(parsing: text))
    }

    @Test("undecoded bytes that are not JSON cannot be encoded")
    func invalid() {
        #expect(throws: JsonError.self) { try JSONEncoder().encode(Holder(meta: Json(undecoded: Data("{".utf8)))) }
    }

    @Test("ISO 8601 dates are read with and without fractions, and refused otherwise")
    func isoDates() throws {
        let iso = JsonCoding(dates: .iso8601)
        for (text, seconds) in [("2001-01-01T00:00:01.500Z", 1.5), ("2001-01-01T01:00:00+01:00", 0)] {
            let dates = try Json(parsing: #"["\#(text)"]"#).decode([Date].self, as: iso)
            #expect(dates == [Date(timeIntervalSinceReferenceDate: seconds)])
        }
        let error = #expect(throws: DecodingError.self) { try Json(parsing: #"["soon"]"#).decode([Date].self, as: iso) }
        #expect(error.map { DecodingFailure($0, type: [Date].self).description } == "[0]: Expected an ISO 8601 date")
    }

    @Test(
        "ISO 8601 dates with milliseconds are rounded once, and are read with and without fractions",
        arguments: [
            (0.25, "1970-01-01T00:00:00.250Z"), (0.9996, "1970-01-01T00:00:01.000Z"),
            (-0.001, "1969-12-31T23:59:59.999Z"), (1_769_862_600, "2026-01-31T12:30:00.000Z"),
            (253_402_300_800, "10000-01-01T00:00:00.000Z"),
        ]
    )
    func isoMilliseconds(seconds: Double, expected: String) throws {
        let precise = JsonCoding(dates: .iso8601WithMilliseconds)
        let json = try Json(encoding: [Date(timeIntervalSince1970: seconds)], as: precise)
        #expect(try json.text() == #"["\#(expected)"]"#)
        for text in ["2001-01-01T00:00:01.500Z", "2001-01-01T00:00:01Z"] {
            let dates = try Json(parsing: #"["\#(text)"]"#).decode([Date].self, as: precise)
            #expect(dates.first?.timeIntervalSinceReferenceDate == (text.contains(".") ? 1.5 : 1))
        }
    }
}
