import TestSupport

@Suite("Query and form items of models", .timeLimit(.minutes(10)), .paced)
struct EncodingModelParameterTests {
    private struct Filter: Codable, RawEncodable, Sendable {
        typealias Raw = Json
        struct Range: Codable, Sendable {
            var from: Date
            var until: Date?
        }
        enum Kind: String, Codable, Sendable { case old, new }

        var since: Date
        var until: Date?
        var tags: [String?]
        var isOpen: Bool
        var isMine: Bool?
        var limit: Int?
        var ratio: Double
        var price: Decimal?
        var link: URL?
        var id: UUID?
        var kind: Kind?
        var range: Range
        var dates: [Date]
        var more: [String: Int?]
        var nested: [[Int]]
        var meta: Json
    }

    private static let day = Date(timeIntervalSince1970: 86_400.25)
    private static let id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    private static let link = URL(string: "https://a.b/c d?e=f")
    private static let meta: Json = ["a": [1, nil], "b": 1.50]

    private static let model = Filter(
        since: day,
        tags: ["a", nil, "b"],
        isOpen: true,
        ratio: 2,
        price: Decimal(string: "0.10"),
        link: link,
        id: id,
        kind: .new,
        range: .init(from: day),
        dates: [day, Date(timeIntervalSince1970: 0)],
        more: ["x": 1, "y": nil],
        nested: [[1], [], [2, 3]],
        meta: meta
    )

    private static var dictionary: [String: Any] {
        [
            "since": day, "until": Date?.none as Any, "tags": ["a", nil, "b"], "isOpen": true,
            "isMine": Bool?.none as Any,
            "limit": Int?.none as Any, "ratio": 2.0, "price": Decimal(string: "0.10") as Any, "link": link as Any,
            "id": id as Any,
            "kind": Filter.Kind.new, "range": ["from": day, "until": nil],
            "dates": [day, Date(timeIntervalSince1970: 0)],
            "more": ["x": 1, "y": nil], "nested": [[1], [], [2, 3]], "meta": meta,
        ]
    }

    /// All combinations of 2, 3, 2, 3 and 3 ways.
    private static let strategies = (0..<108).map { number in
        ParameterStrategies(
            bool: [.asInt, .asBool][number % 2],
            array: [.brackets, .noBrackets, .indexed][number / 2 % 3],
            dictionary: [.brackets, .dots][number / 6 % 2],
            null: [.omit, .empty, .null][number / 12 % 3],
            date: [.iso8601, .secondsSince1970, .millisecondsSince1970][number / 36]
        )
    }

    @Test(
        "a model and a dictionary with the same values give the same text, whatever the strategies",
        arguments: strategies
    )
    func sameText(strategies: ParameterStrategies) throws {
        let dictionary = try ParameterValue(any: Self.dictionary)
        let model = try ParameterValue(json: Self.model.toRaw())
        #expect(try strategies.query(model) == strategies.query(dictionary))
        #expect(try strategies.form(model) == strategies.form(dictionary))
    }

    @Test("strategies see a model's dates and nil, in containers too")
    func datesAndNil() throws {
        struct Small: Codable, RawEncodable, Sendable {
            typealias Raw = Json
            var since: Date
            var until: Date?
            var count: Int?
        }
        let small = Small(since: Self.day)
        let strategies = ParameterStrategies(null: .empty)
        func text(_ raw: Json) throws -> String {
            try strategies.items(ParameterValue(json: raw)).map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        }
        #expect(try text(small.toRaw()) == "count=&since=1970-01-02T00:00:00Z&until=")
        #expect(
            try text(["k": [small].toRaw(), "n": 1])
                == "k[][count]=&k[][since]=1970-01-02T00:00:00Z&k[][until]=&n=1"
        )
        #expect(try text(["a": small].toRaw()) == "a[count]=&a[since]=1970-01-02T00:00:00Z&a[until]=")
        #expect(try text(Small?.some(small).toRaw()) == "count=&since=1970-01-02T00:00:00Z&until=")
        var changed = try small.toRaw()
        changed["count"] = 5
        changed["until"] = nil as Json?
        #expect(try text(changed) == "count=5&since=1970-01-02T00:00:00Z")
        #expect(
            try ParameterStrategies().query(ParameterValue(json: small.toRaw())) == "since=1970-01-02T00%3A00%3A00Z"
        )
    }

    @Test("names, bytes and infinite numbers follow the chain's options; dictionary keys stay")
    func coding() throws {
        struct Values: Encodable, Sendable {
            var someName = ["someKey": Data([1, 2, 3])]
            var ratio = Double.infinity
            var parentOf: [Values]?
        }
        let raw = try Json(encoding: Values(parentOf: [Values()]))
        let coding = JsonCoding(keys: .snakeCase, nonFinite: .strings())
        #expect(
            try ParameterStrategies().items(ParameterValue(json: raw.with(coding))).map { "\($0.name)=\($0.value)" }
                == [
                    "parent_of[][ratio]=Infinity", "parent_of[][some_name][someKey]=AQID", "ratio=Infinity",
                    "some_name[someKey]=AQID",
                ]
        )
        let error = #expect(throws: RequestEncodingError.self) { try ParameterValue(json: raw) }
        #expect(error?.description == "ratio: a number that is not finite cannot be written")
    }

    @Test("a model that encodes itself in unusual ways keeps all of its values")
    func unusualModels() throws {
        struct Unusual: Encodable, Sendable {
            enum Key: String, CodingKey { case a, b, c, d }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var first = container.nestedContainer(keyedBy: Key.self, forKey: .b)
                var list = container.nestedUnkeyedContainer(forKey: .a)
                try list.encode(Float(0.5))
                try first.encode(UInt8(1), forKey: .d)
                var again = container.nestedContainer(keyedBy: Key.self, forKey: .b)
                try again.encodeNil(forKey: .c)
                try list.encodeNil()
                try 7.encode(to: container.superEncoder(forKey: .c))
                try "x".encode(to: container.superEncoder())
                try 8.encode(to: list.superEncoder())
                var inner = list.nestedContainer(keyedBy: Key.self)
                try inner.encode(list.count, forKey: .a)
            }
        }
        let value = try ParameterValue(json: Json(encoding: Unusual()))
        #expect(value == ["a": [0.5, nil, 8, ["a": 4]], "b": ["d": 1, "c": nil], "c": 7, "super": "x"])
    }

    @Test("a model without names, and one that contains itself, cannot be a query")
    func refused() throws {
        final class Ring: Encodable, Sendable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(self)
            }
        }
        #expect(throws: RequestEncodingError.self) { try ParameterValue(json: Json(encoding: Ring())) }
        #expect(throws: RequestEncodingError.self) { try ParameterStrategies().query(.init(json: [1, 2].toRaw())) }
    }
}
