import CoreNetKitJson
import TestPace

enum Level: String, Codable { case low, high }
enum Mode: Int, Codable { case off, on }
enum Color: String, Codable, CodingKeyRepresentable { case red, green }

struct Place: Codable, Equatable {
    var street: String
    var number: Int?
    var points: [Double]
}

struct Person: Codable, Equatable {
    var firstName: String
    var age: Int8?
    var isAdmin: Bool
    var tags: [String]
    var homePlace: Place?
    var scores: [String: Double?]
    var bornOn: Date?
    var webSite: URL?
    var price: Decimal?
    var blob: Data?
    var level: Level
    var mode: Mode?
    var id: UUID?
}

enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case box(Int, height: Int?)
    case none
}

class Animal: Decodable, Equatable {
    let name: String
    static func == (left: Animal, right: Animal) -> Bool { left.isSame(as: right) }
    func isSame(as other: Animal) -> Bool { name == other.name }
}

final class Dog: Animal {
    let tricks: [String]
    private enum CodingKeys: CodingKey { case tricks }
    required init(from decoder: any Decoder) throws {
        tricks = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .tricks)
        try super.init(from: decoder.container(keyedBy: CodingKeys.self).superDecoder())
    }
    override func isSame(as other: Animal) -> Bool {
        super.isSame(as: other) && tricks == (other as? Dog)?.tricks
    }
}

final class Leaf: Codable, Equatable {
    let value: Int
    let leaves: [Leaf]?
    static func == (left: Leaf, right: Leaf) -> Bool { left.value == right.value && left.leaves == right.leaves }
}

/// Asks its decoder everything that one can ask.
struct Curious: Decodable, Equatable {
    enum CodingKeys: String, CodingKey { case one, list, nest, inner, missing }
    var log: [String] = []

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        log.append("\(container.allKeys.map(\.stringValue).sorted())")
        log.append("\(container.contains(.one)) \((try? container.decodeNil(forKey: .one)).map(String.init) ?? "-")")
        log.append("\(try container.decodeIfPresent(Int.self, forKey: .missing) ?? -1)")
        log.append("\((try? container.decode(Int.self, forKey: .one)) ?? -1)")
        log.append("\((try? container.decode(String.self, forKey: .one)) ?? "-")")
        log.append("\((try? container.decode(Float.self, forKey: .one)) ?? -1)")
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        log.append("\(list.count ?? -1)")
        while !list.isAtEnd {
            log.append("\(list.currentIndex)")
            if try list.decodeNil() { continue }
            if let number = try? list.decode(UInt16.self) {
                log.append("\(number)")
            } else if var inner = try? list.nestedUnkeyedContainer() {
                log.append("\(inner.currentIndex) \((try? inner.decodeIfPresent(Int.self)) as Any)")
            } else if let inner = try? list.nestedContainer(keyedBy: CodingKeys.self) {
                log.append(
                    "\(inner.allKeys.count) \(inner.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue })"
                )
            } else {
                let other = try list.superDecoder()
                log.append("\(other.codingPath.count) \(try other.singleValueContainer().decode(String.self))")
            }
        }
        let nest = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nest)
        log.append("\(try nest.decode([Int?].self, forKey: .inner))")
        let other = try container.superDecoder(forKey: .missing).singleValueContainer()
        log.append("\(other.decodeNil()) \(other.codingPath.map(\.stringValue))")
    }
}

struct Scalars: Codable, Equatable {
    var a: Int?
    var b: Int8?
    var c: Int16?
    var d: Int32?
    var e: Int64?
    var f: UInt?
    var g: UInt8?
    var h: UInt16?
    var i: UInt32?
    var j: UInt64?
    var k: Double?
    var l: Float?
    var m: Decimal?
    var n: Bool?
    var o: String?
    var p: Int128?
    var q: UInt128?
}

extension DecodingComparison {
    static let scalars: [DecodingComparison] = [
        .init(Int.self), .init(Int8.self), .init(Int16.self), .init(Int32.self), .init(Int64.self), .init(UInt.self),
        .init(UInt8.self), .init(UInt16.self), .init(UInt32.self), .init(UInt64.self), .init(Int128.self),
        .init(UInt128.self), .init(Double.self), .init(Float.self), .init(Decimal.self), .init(Bool.self),
        .init(String.self), .init(Date.self), .init(URL.self), .init(Data.self), .init(UUID.self), .init(Level.self),
        .init(Mode.self), .init(Int?.self), .init([Int].self), .init([String: Int].self), .init(Place.self),
        .init([Int: String].self), .init([Color: Int].self), .init(Set<Int>.self), .init(Range<Int>.self),
    ]

    static let models: [DecodingComparison] = [
        .init(
            Person.self,
            #"{"firstName":"Ann","age":7,"isAdmin":true,"tags":["a","b"],"homePlace":{"street":"x","number":1,"points":[1.5,2]},"scores":{"a":1},"bornOn":1.5,"webSite":"https://a.b/c?d","price":0.10,"blob":"AQID","level":"low","mode":1,"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}"#,
            #"{ "level" : "high", "scores" : {}, "tags" : [], "isAdmin" : false, "firstName" : "\u00e9\ud83d\ude00\n" }"#
        ),
        .init(
            [Shape].self,
            #"[{"circle":{"radius":1.5}},{"box":{"_0":1,"height":null}},{"none":{}},{"box":{"_0":-2,"height":3}}]"#
        ),
        .init(Dog.self, #"{"tricks":["sit"],"super":{"name":"Rex"}}"#),
        .init(
            Leaf.self,
            #"{"value":1,"leaves":[{"value":2},{"value":3,"leaves":[]},{"value":4,"leaves":[{"value":5}]}]}"#
        ),
        .init(Curious.self, #"{"one":1,"list":[1,null,[2],{"one":2},"x"],"nest":{"inner":[1,null]},"other":0}"#),
        .init([String: [String: Place?]].self, #"{"k":{"a":{"street":"x","points":[]},"b":null},"":{}}"#),
        .init([Int: [Color: Level?]].self, #"{"1":{"red":"low"},"-2":{"green":null}}"#),
        .init(
            Scalars.self,
            #"{"a":1,"b":-1,"c":2,"d":3,"e":4,"f":5,"g":6,"h":7,"i":8,"j":9,"k":1.25,"l":2.5,"m":3.75,"n":true,"o":"x","p":1,"q":2}"#
        ),
        .init([[Int8]?].self, "[[1,2],null,[]]"),
        .init(
            Dictionary<String, Int>.self,
            "{" + (0..<60).map { "\"key\($0)\":\($0)" }.joined(separator: ",") + "}"
        ),
    ]
}
