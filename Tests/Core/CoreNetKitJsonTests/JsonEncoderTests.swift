import CoreNetKitJson
import CoreNetKitSystem
import TestPace

@Suite("JSON encoder, compared with Foundation's", .timeLimit(.minutes(10)), .paced)
struct JsonEncoderTests {
    @Test("scalars, containers and models give the same bytes or both fail", arguments: EncodingComparison.samples)
    func samples(comparison: EncodingComparison) {
        for coding in JsonCoding.all {
            let difference = comparison.difference(coding)
            #expect(difference == nil, "\(comparison.name) as \(coding)")
        }
    }

    @Test("models that encode themselves in unusual ways give the same bytes", arguments: Odd.Way.allCases)
    func oddWays(way: Odd.Way) {
        for coding in JsonCoding.all {
            #expect(EncodingComparison.difference(Odd(way: way), coding) == nil)
            #expect(EncodingComparison.difference(["k": [Odd(way: way)]], coding) == nil)
        }
    }

    @Test("of an object and a list with one name the later one stays, with nothing of the other")
    func mixedKinds() throws {
        struct Mixed: Encodable {
            enum Key: String, CodingKey { case a, b }
            let listIsLast: Bool

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                func list() throws {
                    var list = container.nestedUnkeyedContainer(forKey: .a)
                    try list.encode(1)
                }
                if !listIsLast { try list() }
                var object = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                try object.encode(2, forKey: .b)
                if listIsLast { try list() }
            }
        }
        #expect(try Json(encoding: Mixed(listIsLast: true), as: JsonCoding()).text() == #"{"a":[1]}"#)
        #expect(try Json(encoding: Mixed(listIsLast: false), as: JsonCoding()).text() == #"{"a":{"b":2}}"#)
    }

    @Test("models of any shape give the same bytes", arguments: 0..<10)
    func randomModels(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let model = Growth.random(&random)
            let coding = JsonCoding.all.randomElement(using: &random) ?? JsonCoding()
            #expect(EncodingComparison.difference(model, coding) == nil, "\(model)")
        }
    }

    @Test(
        "names become snake case as in Foundation",
        arguments: [
            "firstName", "URL", "myURL", "myURLProperty", "a", "A", "aB", "aBC", "aBCd", "", "_a", "a_B", "_FirstName",
            "a1B2", "éÉé", "HTTPServer2Go", "ABc", "ABC", "aBc_", "日本A", "ßA", "x.Y", "A😀b", "AéB", "first name", "ǅa",
            "Aa", "AAa",
        ]
    )
    func snakeCase(name: String) {
        let named = Encoded(members: { try $0.encode(1, forKey: AnyName(stringValue: name)) })
        #expect(EncodingComparison.difference(named, JsonCoding(keys: .snakeCase)) == nil)
    }

    @Test("names that look alike but differ in bytes keep their own spelling in snake case")
    func spellings() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        for order in [[composed, decomposed], [decomposed, composed]] {
            let models = order.map { name in Encoded(members: { try $0.encode(1, forKey: AnyName(stringValue: name)) })
            }
            let written = try Json(encoding: models, as: JsonCoding(keys: .snakeCase)).data()
            let expected = order.map { #"{"\#($0)":1}"# }.joined(separator: ",")
            #expect(Array(written) == Array("[\(expected)]".utf8))
        }
    }

    @Test("a model that encodes nothing is an empty object in an optional or another wrapper, as everywhere else")
    func silentModels() throws {
        let silent = Encoded { (_: any Encoder) in }
        let wrapped = Encoded(single: silent)
        #expect(try Json(encoding: Optional(silent), as: JsonCoding()).data() == Data("{}".utf8))
        for coding in JsonCoding.all {
            #expect(EncodingComparison.difference(Optional(silent), coding) == nil)
            #expect(EncodingComparison.difference(wrapped, coding) == nil)
            #expect(EncodingComparison.difference(Encoded(single: wrapped), coding) == nil)
            #expect(EncodingComparison.difference([wrapped], coding) == nil)
            #expect(EncodingComparison.difference(["a": Optional(silent)], coding) == nil)
            #expect(EncodingComparison.difference(silent, coding) == nil)
        }
    }

    @Test("encoders and containers know their whole path, and element encoders keep their places")
    func paths() throws {
        let asking = Encoded { encoder in
            var container = encoder.container(keyedBy: AnyName.self)
            try container.encode((encoder.codingPath + container.codingPath).jsonPath, forKey: "b")
            var list = container.nestedUnkeyedContainer(forKey: "li\"st")
            let elements = (0..<3).map { _ in list.superEncoder() }
            for element in elements.reversed() { try element.codingPath.jsonPath.encode(to: element) }
            try list.encode(list.codingPath.jsonPath)
        }
        let json = try Json(encoding: ["a": [nil, asking]], as: .init())
        #expect(
            try json.text()
                == #"{"a":[null,{"b":"a[1].a[1]","li\"st":["a[1].li\"st[0]","a[1].li\"st[1]","a[1].li\"st[2]","a[1].li\"st"]}]}"#
        )
    }

    @Test("an object that contains itself is an error, and so is one nested too deeply to be read")
    func rings() {
        final class Ring: Encodable {
            var next: Ring?
        }
        let ring = Ring()
        ring.next = ring
        #expect(throws: EncodingError.self) { try Json(encoding: ring, as: .init()) }
        ring.next = nil
        for (depth, isFine) in [(512, true), (513, false)] {
            var first = Ring()
            for _ in 1..<depth {
                let ring = Ring()
                ring.next = first
                first = ring
            }
            let json = try? Json(encoding: first, as: .init()).parsed()
            #expect((json != nil) == isFine)
        }
    }

    @Test("a model that requests two kinds of containers, or writes two values, is an error and not a crash")
    func misuse() {
        let both = Encoded { encoder in
            var list = encoder.unkeyedContainer()
            try list.encode(1)
            var object = encoder.container(keyedBy: AnyName.self)
            try object.encode(1, forKey: "a")
        }
        let two = Encoded { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode("x")
        }
        #expect(throws: EncodingError.self) { try Json(encoding: both, as: .init()) }
        #expect(throws: EncodingError.self) { try Json(encoding: [two], as: .init()) }
        #expect(throws: EncodingError.self) { try Json(encoding: Decimal.nan, as: .init()) }
        #expect(throws: EncodingError.self) { try Json(encoding: Odd(way: .nothing), as: .init()) }
    }

    @Test("a failed encoding that was caught leaves nothing behind")
    func caughtFailures() throws {
        let failing = Encoded(members: { container in
            try container.encode(1, forKey: "a")
            throw CancellationError()
        })
        let lenient = Encoded(members: { container in
            try? container.encode(failing, forKey: "c")
            try container.encode(2, forKey: "b")
            try? container.encode(Double.nan, forKey: "b")
            try? container.encode(failing, forKey: "d")
            var list = container.nestedUnkeyedContainer(forKey: "a")
            try? list.encode(Float.nan)
            try? list.encode([failing])
            try list.encode(list.count)
            try? list.encode(failing)
            try list.encode(list.count)
        })
        #expect(try Json(encoding: lenient, as: .init()).text() == #"{"a":[0,1],"b":2}"#)
    }

    @Test("of two members whose names are equal as strings the last counts")
    func equalNames() throws {
        let twice = Encoded(members: { container in
            let names: [AnyName] = ["é", "a", "e\u{301}", "a", "k\"", "k\""]
            for (index, name) in names.enumerated() { try container.encode(index, forKey: name) }
        })
        #expect(try Json(encoding: twice, as: .init()).text() == "{\"a\":3,\"k\\\"\":5,\"e\u{301}\":2}")
    }

    @Test("a Json in a model keeps its numbers, and its members are sorted")
    func jsonFields() throws {
        struct Holder: Encodable { let meta: Json }
        let text = #"{"z":1e400,"b":[12345678901234567890123456789012345678901234567890,0.10],"a":{"y":-0,"x":null}}"#
        let json = try Json(encoding: Holder(meta: Json(parsing: text)), as: .init())
        #expect(
            try json.text()
                == #"{"meta":{"a":{"x":null,"y":-0},"b":[12345678901234567890123456789012345678901234567890,0.10],"z":1e400}}"#
        )
    }
}
