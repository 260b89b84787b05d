import CoreNetKitJson
import TestPace

@Suite("Key types", .timeLimit(.minutes(10)), .paced)
struct JsonKeyTypeTests {
    private struct Key<First, Second>: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Model<First, Second>: Codable {
        var name = String(describing: (First.self, Second.self))
        init() {}
        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: Key<First, Second>.self).decode(
                String.self,
                forKey: .init(stringValue: "n")
            )
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key<First, Second>.self)
            try container.encode(name, forKey: .init(stringValue: "n"))
        }
    }

    private static let types: [Any.Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
        UInt64.self, Bool.self, String.self, Double.self, Float.self, Character.self, [Int].self, [Bool].self,
        Date.self, Data.self, URL.self, UUID.self, Decimal.self, Json.self, Substring.self, Void.self,
    ]

    /// Whether a model with keys of that type goes to JSON and comes back.
    private static func isRight<First, Second>(_ first: First.Type, _ second: Second.Type) throws -> Bool {
        let model = Model<First, Second>()
        let json = try Json(encoding: model, as: .init())
        return try json["n"]?.string == model.name && json.decode(Model<First, Second>.self).name == model.name
    }

    @Test("models with keys of many hundreds of types are encoded and decoded, on several threads at once")
    func manyTypes() async throws {
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var count = 0
                    for first in Self.types {
                        for second in Self.types where try Self.isRight(first, second) { count += 1 }
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(count == 4 * Self.types.count * Self.types.count)
    }
}
