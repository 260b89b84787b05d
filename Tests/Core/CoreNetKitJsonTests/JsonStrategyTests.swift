import CoreNetKitJson
import TestPace

@Suite("JSON strategies", .timeLimit(.minutes(10)), .paced)
struct JsonStrategyTests {
    private struct Event: Codable, Equatable {
        var eventName: String
        var startsAt: Date
        var seal: Data
        var weight: Double
        var byDay: [String: [Date]]
    }

    private static let event = Event(
        eventName: "x",
        startsAt: Date(timeIntervalSince1970: 86_400),
        seal: Data([1, 0xAB]),
        weight: -.infinity,
        byDay: ["someKey": [Date(timeIntervalSince1970: 0)]]
    )

    @Sendable
    private static func encode(_ date: Date, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(["day": Int(date.timeIntervalSince1970) / 86_400])
    }

    @Sendable
    private static func encode(_ data: Data, to encoder: any Encoder) throws {
        try data.map { String($0, radix: 16) }.joined(separator: ":").encode(to: encoder)
    }

    @Sendable
    private static func raised(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    @Sendable
    private static func lowered(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    private static let days = JsonCoding.Dates.custom(
        encode: encode,
        decode: { decoder in
            let day = try decoder.singleValueContainer().decode([String: Int].self)["day"] ?? 0
            return Date(timeIntervalSince1970: Double(day) * 86_400)
        }
    )

    private static let hex = JsonCoding.Bytes.custom(
        encode: encode,
        decode: { decoder in
            Data(try String(from: decoder).split(separator: ":").compactMap { UInt8($0, radix: 16) })
        }
    )

    private static let capitalized = JsonCoding.Keys.custom(encode: raised, decode: lowered)

    @Test("custom functions write and read names, dates and bytes; dictionary keys stay")
    func custom() throws {
        let coding = JsonCoding(
            keys: Self.capitalized,
            dates: Self.days,
            data: Self.hex,
            nonFinite: .strings(negativeInfinity: "-inf")
        )
        let json = try Json(encoding: Self.event, as: coding)
        #expect(
            try json.text()
                == #"{"ByDay":{"someKey":[{"day":0}]},"EventName":"x","Seal":"1:ab","StartsAt":{"day":1},"Weight":"-inf"}"#
        )
        #expect(try json.decode(Event.self, as: coding) == Self.event)
    }

    @Test("custom functions work like those of JSONEncoder and JSONDecoder")
    func likeFoundation() throws {
        let encoder = EncodingComparison.encoder(JsonCoding(nonFinite: .strings()))
        let decoder = JSONDecoder()
        encoder.dateEncodingStrategy = .custom(Self.encode)
        encoder.dataEncodingStrategy = .custom(Self.encode)
        encoder.keyEncodingStrategy = .custom { AnyName(stringValue: Self.raised($0.last?.stringValue ?? "")) }
        decoder.keyDecodingStrategy = .custom { AnyName(stringValue: Self.lowered($0.last?.stringValue ?? "")) }
        let coding = JsonCoding(keys: Self.capitalized, dates: Self.days, data: Self.hex, nonFinite: .strings())
        #expect(try Json(encoding: Self.event, as: coding).data() == encoder.encode(Self.event))
        let text = Data(#"{"Street":"x","Number":1,"points":[1],"Points":[2]}"#.utf8)
        let plain = JsonCoding(keys: Self.capitalized)
        #expect(try Json(undecoded: text).decode(Place.self, as: plain) == decoder.decode(Place.self, from: text))
    }

    @Test("a function that encodes nothing gives an empty object, and its error is the call's error")
    func emptyAndFailing() throws {
        struct Failure: Error {}
        let nothing = JsonCoding(dates: .custom(encode: { _, _ in }, decode: { _ in throw Failure() }))
        #expect(try Json(encoding: [Date()], as: nothing).text() == "[{}]")
        #expect(throws: Failure.self) { try Json(parsing: "[0]").decode([Date].self, as: nothing) }
        let failing = JsonCoding(data: .custom(encode: { _, _ in throw Failure() }, decode: { _ in Data() }))
        #expect(throws: Failure.self) { try Json(encoding: ["a": Data()], as: failing) }
    }

    @Test("models find the chain's userInfo in their coders")
    func userInfo() throws {
        struct Unit: Codable, Equatable {
            static let key = CodingUserInfoKey(rawValue: "unit")
            var value = ""
            init(from decoder: any Decoder) throws {
                value = Unit.key.flatMap { decoder.userInfo[$0] as? String } ?? "-"
            }
            init() {}
            func encode(to encoder: any Encoder) throws {
                try (Unit.key.flatMap { encoder.userInfo[$0] as? String } ?? "-").encode(to: encoder)
            }
        }
        let key = try #require(Unit.key)
        let coding = JsonCoding(userInfo: [key: "kg"])
        #expect(try Json(encoding: [Unit()], as: coding).text() == #"["kg"]"#)
        #expect(try Json(encoding: [Unit()], as: .init()).text() == #"["-"]"#)
        #expect(try Json(parsing: "[0]").decode([Unit].self, as: coding).first?.value == "kg")
        #expect(try Json(parsing: "[{}]").decode([Unit].self, as: .init()).first?.value == "-")
    }

    @Test("infinite numbers and NaN are strings in both directions, and errors otherwise")
    func nonFinite() throws {
        let coding = JsonCoding(nonFinite: .strings(infinity: "+", negativeInfinity: "-", nan: "?"))
        let numbers = try Json(parsing: #"["+","-","?",1]"#)
        #expect(try numbers.decode([Double].self, as: coding).description == "[inf, -inf, nan, 1.0]")
        #expect(try numbers.decode([Float].self, as: coding).description == "[inf, -inf, nan, 1.0]")
        #expect(try Json(encoding: [Double.infinity, -.infinity, .nan], as: coding).text() == #"["+","-","?"]"#)
        #expect(throws: DecodingError.self) { try numbers.decode([Double].self, as: .init()) }
        #expect(throws: DecodingError.self) { try Json(parsing: #"["x"]"#).decode([Double].self, as: coding) }
        #expect(throws: EncodingError.self) { try Json(encoding: [Float.nan], as: .init()) }
    }

    @Test("options are equal if all are; functions and userInfo are equal only to their copies")
    func equality() {
        var copy = JsonCoding()
        copy.dates = Self.days
        #expect(copy == JsonCoding(dates: Self.days))
        #expect(copy.hashValue == JsonCoding(dates: Self.days).hashValue)
        #expect(copy != JsonCoding(dates: .custom(encode: { _, _ in }, decode: { _ in Date() })))
        copy.dates = .deferred
        #expect(copy == JsonCoding())
        copy.keys = .snakeCase
        #expect(copy != JsonCoding() && copy == JsonCoding(keys: .snakeCase))
        copy.data = .deferred
        copy.nonFinite = .strings()
        #expect(copy == JsonCoding(keys: .snakeCase, data: .deferred, nonFinite: .strings()))
        copy.userInfo = CodingUserInfoKey(rawValue: "a").map { [$0: 1] } ?? [:]
        let other = copy
        #expect(other == copy && copy.userInfo.count == 1)
        copy.userInfo = copy.userInfo
        #expect(other != copy)
        #expect(MemoryLayout<JsonCoding>.size == MemoryLayout<Int>.size)
    }

    @Test(
        "a date that is not finite is an error, in whatever form dates are written",
        arguments: [.deferred, .iso8601, .iso8601WithMilliseconds, .secondsSince1970, .millisecondsSince1970]
            as [JsonCoding.Dates]
    )
    func infiniteDates(dates: JsonCoding.Dates) {
        for seconds in [Double.infinity, -.infinity, .nan] {
            let values = ["date": Date(timeIntervalSince1970: seconds)]
            #expect(throws: EncodingError.self) { try Json(encoding: values, as: JsonCoding(dates: dates)) }
        }
    }
}
