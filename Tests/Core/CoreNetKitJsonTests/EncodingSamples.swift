import CoreNetKitJson
import CoreNetKitSystem
import TestPace

/// Encodes itself in every way that there is.
struct Odd: Encodable {
    enum Way: CaseIterable {
        case nothing, twoNested, nestedTwice, sideBySide, superEncoders, replaced, inherited, wrapped, unkeyed
        case sameArray, emptyContainers, all
    }
    enum Key: String, CodingKey { case b, a, someName, other, c }

    let way: Way

    func encode(to encoder: any Encoder) throws {
        switch way {
        case .nothing: break
        case .twoNested:
            var container = encoder.container(keyedBy: Key.self)
            var first = container.nestedContainer(keyedBy: Key.self, forKey: .b)
            var second = container.nestedUnkeyedContainer(forKey: .a)
            try first.encode("x", forKey: .other)
            try second.encode("y")
            try first.encode(1.5, forKey: .a)
            try second.encodeNil()
            try container.encode(true, forKey: .someName)
        case .nestedTwice:
            var container = encoder.container(keyedBy: Key.self)
            for (index, key) in [Key.b, .a, .c].enumerated() {
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                try nested.encode(index, forKey: key)
                var list = container.nestedUnkeyedContainer(forKey: .b)
                try list.encode(index)
            }
        case .sideBySide:
            var first = encoder.container(keyedBy: Key.self)
            var second = encoder.container(keyedBy: Key.self)
            try first.encode(Int128.max, forKey: .b)
            try second.encode(UInt64.max, forKey: .a)
            try first.encode(UInt128.max, forKey: .someName)
        case .superEncoders:
            var container = encoder.container(keyedBy: Key.self)
            let late = container.superEncoder()
            let other = container.superEncoder(forKey: .someName)
            try container.encode(1, forKey: .a)
            var list = container.nestedUnkeyedContainer(forKey: .c)
            _ = container.superEncoder(forKey: .other)
            let element = list.superEncoder()
            try list.encode("after")
            try ["k": 1].encode(to: element)
            try 7.encode(to: other)
            var inner = late.container(keyedBy: Key.self)
            try inner.encode("late", forKey: .b)
        case .replaced:
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            try container.encode("b", forKey: .b)
            try container.encode([1], forKey: .a)
            try container.encodeNil(forKey: .b)
        case .inherited: try Puppy(name: "Rex", age: 1).encode(to: encoder)
        case .wrapped:
            var container = encoder.singleValueContainer()
            try container.encode(Optional<[Optional<Int8>]>.some([1, nil, -3]))
        case .unkeyed:
            var container = encoder.unkeyedContainer()
            try container.encode(contentsOf: [1, 2] as [Int])
            var nested = container.nestedContainer(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer()
            try list.encode(container.count)
            try nested.encode(container.codingPath.count + list.codingPath.count, forKey: .a)
            try container.encode(Float(0.1))
            try container.encode("\u{1}\u{1F}\u{7F}\"\\/é😀\u{2028}")
        case .sameArray:
            var first = encoder.unkeyedContainer()
            var second = encoder.unkeyedContainer()
            try first.encode(1)
            try second.encode(2)
            try first.encode(Int16(3))
        case .emptyContainers:
            var container = encoder.container(keyedBy: Key.self)
            _ = container.nestedContainer(keyedBy: Key.self, forKey: .b)
            _ = container.nestedUnkeyedContainer(forKey: .a)
            try container.encode(Odd(way: .nothing), forKey: .c)
            try container.encode([Int](), forKey: .other)
        case .all:
            var container = encoder.unkeyedContainer()
            for way in Way.allCases where way != .all { try container.encode(Odd(way: way)) }
        }
    }
}

private class Pet: Encodable {
    let name: String
    init(name: String) { self.name = name }
}

private final class Puppy: Pet {
    let age: Int
    private enum CodingKeys: CodingKey { case age }
    init(name: String, age: Int) {
        self.age = age
        super.init(name: name)
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(age, forKey: .age)
        try super.encode(to: container.superEncoder())
    }
}

/// A key of any name.
struct AnyName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral: String) { stringValue = stringLiteral }
    init?(intValue: Int) { nil }
}

/// A model that is a function.
struct Encoded: Encodable {
    let body: (any Encoder) throws -> Void

    init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }

    init(members: @escaping (inout KeyedEncodingContainer<AnyName>) throws -> Void) {
        body = { encoder in
            var container = encoder.container(keyedBy: AnyName.self)
            try members(&container)
        }
    }

    init(single value: some Encodable) {
        body = { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

/// A model of any shape.
indirect enum Growth: Encodable, Sendable {
    case text(String), number(Double), small(Int8), wide(UInt64), flag(Bool), nothing, date(Date), link(URL), bytes(
        Data
    )
    case list([Growth]), table([String: Growth]), byNumber([Int: Growth]), object([(String, Growth)]), maybe(Growth?)

    func encode(to encoder: any Encoder) throws {
        var single: any SingleValueEncodingContainer { encoder.singleValueContainer() }
        switch self {
        case .text(let value): var container = single; try container.encode(value)
        case .number(let value): var container = single; try container.encode(value)
        case .small(let value): var container = single; try container.encode(value)
        case .wide(let value): var container = single; try container.encode(value)
        case .flag(let value): var container = single; try container.encode(value)
        case .nothing: var container = single; try container.encodeNil()
        case .date(let value): var container = single; try container.encode(value)
        case .link(let value): var container = single; try container.encode(value)
        case .bytes(let value): var container = single; try container.encode(value)
        case .list(let values): var container = single; try container.encode(values)
        case .table(let values): try values.encode(to: encoder)
        case .byNumber(let values): try values.encode(to: encoder)
        case .maybe(let value): try value.encode(to: encoder)
        case .object(let members):
            var container = encoder.container(keyedBy: AnyName.self)
            for (name, value) in members { try container.encode(value, forKey: AnyName(stringValue: name)) }
        }
    }

    private static let names = [
        "a", "b", "B", "ab", "a1", "a10", "a2", "firstName", "URLOfPage", "é", "", "k\"", "日本", "aa_b", "😀",
        "averylongnamethatislongerthaneight", "averylongnamethatislongerthanseven", "averylong", "x\n", "_", "Z",
        "\u{0}",
    ]

    static func random(_ random: inout SplitMix64, depth: Int = 0) -> Growth {
        func name() -> String { names.randomElement(using: &random) ?? "" }
        func child() -> Growth { .random(&random, depth: depth + 1) }
        let count = Int.random(in: 0...(depth == 0 ? 40 : 5), using: &random)
        switch Int.random(in: 0..<(depth > 4 ? 9 : 14), using: &random) {
        case 0: return .text(name() + name())
        case 1:
            return .number(
                Double(bitPattern: random.next()).isFinite ? Double(Int8(truncatingIfNeeded: random.next())) / 8 : 0
            )
        case 2: return .small(Int8(truncatingIfNeeded: random.next()))
        case 3: return .wide(random.next())
        case 4: return .flag(random.next() % 2 == 0)
        case 5: return .nothing
        case 6: return .date(Date(timeIntervalSince1970: Double(Int32(truncatingIfNeeded: random.next())) / 4))
        case 7: return .link(URL(string: "https://a.b/\(random.next())") ?? URL(fileURLWithPath: "/"))
        case 8: return .bytes(Data((0..<count).map { UInt8($0) }))
        case 9: return .list((0..<count).map { _ in child() })
        case 10: return .table(Dictionary((0..<count).map { _ in (name(), child()) }) { first, _ in first })
        case 11: return .byNumber(Dictionary((0..<count).map { _ in (Int(random.next() % 100), child()) }) { $1 })
        case 12: return .maybe(child())
        default: return .object((0..<count).map { _ in (name(), child()) })
        }
    }
}

extension EncodingComparison {
    static let samples: [EncodingComparison] = [
        .init(1), .init(-1), .init(Int.min), .init(Int.max), .init(UInt.max), .init(Int128.min), .init(UInt128.max),
        .init(0), .init(10), .init(99), .init(100), .init(Int64.min), .init(999_999_999_999_999_999), .init(Int8.min),
        .init(1.0), .init(-0.0), .init(0.1), .init(1e22), .init(Double.leastNonzeroMagnitude), .init(1e16),
        .init(Float(0.1)), .init(Float(3)),
        .init(Double.nan), .init(Double.infinity), .init(-Double.infinity), .init(Float.nan),
        .init(["a": [Double.nan]]),
        .init("x"), .init(""), .init(true), .init(Optional<Int>.none, "none"), .init(Optional(3)),
        .init((0..<0x21).map { String(UnicodeScalar(UInt8($0))) }, "control characters"),
        .init("a long text with a \"quote\" behind the first eight bytes, \\ and é 日本 😀 \u{7F}\u{2028}"),
        .init([1, 2, 3]), .init([[Int]]()), .init(["a", nil, "b"]), .init(["b": 1, "a": 2, "é": 3, "B": 4, "": 5]),
        .init([3: "c", 20: "b", 1: "a"]), .init([Color.red: 1, .green: 2]),
        .init([Level.low: Mode.on], "array of pairs"),
        .init(["someKey": ["innerKey": 1]]),
        .init(Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", $0) }), "100"),
        .init(Date(timeIntervalSince1970: 1.75)), .init(Date(timeIntervalSince1970: -0.25)), .init(Date.distantPast),
        .init(Date(timeIntervalSince1970: 1e12)), .init(Data([1, 2, 255])), .init(Data()),
        .init(Decimal(string: "0.10")), .init(URL(string: "https://a.b/c?d=é#f")),
        .init(URL(string: "x", relativeTo: URL(string: "https://a.b/")), "relative"),
        .init(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")), .init(Set([1])), .init(1..<3, "range"),
        .init(Shape.box(1, height: nil)), .init([Shape.none, .circle(radius: 2)]), .init(Level.high), .init(Mode.off),
        .init(
            Person(
                firstName: "Ann",
                age: 7,
                isAdmin: true,
                tags: ["a", "b"],
                homePlace: Place(street: "x/y", number: nil, points: [1.5, 2]),
                scores: ["a": 1, "b": nil],
                bornOn: Date(timeIntervalSinceReferenceDate: 1.5),
                webSite: URL(string: "https://a.b/c?d"),
                price: Decimal(string: "12345678901234567890.12"),
                blob: Data([1, 2, 3]),
                level: .low,
                mode: .on,
                id: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
            ),
            "person"
        ),
    ]
}
