import CoreNetKitJson
import CoreNetKitSystem
import TestPace

@Suite("Reused containers", .timeLimit(.minutes(10)), .paced)
struct JsonContainerTests {
    private enum Keys: CodingKey { case name, age, children }

    /// Reads later what it was made of.
    private final class Lazy: Decodable {
        let container: KeyedDecodingContainer<Keys>
        init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Keys.self) }
        var name: String? { try? container.decode(String.self, forKey: .name) }
    }

    /// Asks for its own members when its children are done, and by two containers in turn.
    private struct Tree: Decodable {
        let name: String
        let children: [Tree]
        init(from decoder: any Decoder) throws {
            let first = try decoder.container(keyedBy: Keys.self)
            let second = try decoder.container(keyedBy: Keys.self)
            children = try first.decodeIfPresent([Tree].self, forKey: .children) ?? []
            name = try second.decode(String.self, forKey: .name)
            guard try first.decode(String.self, forKey: .name) == name else { throw CancellationError() }
        }
        var text: String { name + (children.isEmpty ? "" : "(" + children.map(\.text).joined(separator: " ") + ")") }
    }

    private struct Person: Decodable, Equatable {
        var name: String
        var age: Int?
    }

    private static func names(_ count: Int) -> Data {
        Data(("[" + (0..<count).map { #"{"name":"\#($0)"}"# }.joined(separator: ",") + "]").utf8)
    }

    @Test("a container that a model keeps stays where it is, however many follow", arguments: [3, 300])
    func kept(count: Int) throws {
        let first = try Json(undecoded: Self.names(count)).decode([Lazy].self)
        let second = try Json(undecoded: Self.names(count)).decode([Lazy].self)
        for models in [first, second, first] { #expect(models.map(\.name) == (0..<count).map(String.init)) }
    }

    @Test("nested models of one type have their own containers")
    func nested() throws {
        let text = #"{"children":[{"name":"b","children":[{"name":"c"},{"name":"d"}]},{"name":"e"}],"name":"a"}"#
        for _ in 0..<3 { #expect(try Json(undecoded: Data(text.utf8)).decode(Tree.self).text == "a(b(c d) e)") }
    }

    @Test("an object whose names need a table leaves nothing of it to the next")
    func tables() throws {
        let text = #"[{"n\u0061me":"a","age":1},{"name":"b"},{"age":3,"n\u0061me":"c"},{"name":"d","name":"e"}]"#
        let people = [("a", 1), ("b", nil), ("c", 3), ("d", nil)].map { Person(name: $0.0, age: $0.1) }
        for _ in 0..<2 { #expect(try Json(undecoded: Data(text.utf8)).decode([Person].self) == people) }
        #expect(throws: DecodingError.self) {
            try Json(undecoded: Data(#"[{"n\u0061me":"a"},{"age":1}]"#.utf8)).decode([Person].self)
        }
    }

    @Test("a document is released with what was decoded from it, or was not, and even with containers too many to keep")
    func memory() throws {
        /// Has a hundred of them while it is decoded.
        struct Crowd: Decodable {
            let names: [String]
            init(from decoder: any Decoder) throws {
                let containers = try (0..<100).map { _ in try decoder.container(keyedBy: Keys.self) }
                names = try containers.map { try $0.decode(String.self, forKey: .name) }
            }
        }
        weak var document: JsonDocument?
        func decode<Value: Decodable>(_ type: Value.Type, _ text: Data) throws -> Value {
            let read = try JsonDocument.reading(text)
            document = read
            return try JsonDecoder(read, at: 0, in: 0).whole(type)
        }
        #expect(try decode([Person].self, Self.names(5)).count == 5)
        #expect(document == nil)
        #expect(throws: DecodingError.self) { try decode([Person].self, Data(#"[{"name":"a"},{}]"#.utf8)) }
        #expect(document == nil)
        var kept = try decode([Lazy].self, Self.names(5)).last
        #expect(document != nil)
        #expect(kept?.name == "4")
        kept = nil
        #expect(document == nil)
        let crowd = try decode(Crowd.self, Data(#"{"name":"a"}"#.utf8))
        #expect(crowd.names == Array(repeating: "a", count: 100) && document == nil)
    }

    @Test("several threads decode one document, and several threads one value")
    func threads() async throws {
        struct Split: Decodable {
            let names: [String]
            init(from decoder: any Decoder) throws {
                nonisolated(unsafe) let decoder = decoder
                let found = Locked<[String]>([])
                DispatchQueue.concurrentPerform(iterations: 8) { _ in
                    for _ in 0..<200 {
                        guard let person = try? Person(from: decoder) else { continue }
                        found.withLock { $0.append(person.name) }
                    }
                }
                names = found.withLock { $0 }
            }
        }
        let splits = try Json(undecoded: Self.names(4)).decode([Split].self)
        #expect(splits.map { Set($0.names) } == (0..<4).map { [String($0)] })
        #expect(splits.allSatisfy { $0.names.count == 1600 })
        let document = try JsonDocument.reading(Self.names(100))
        let all = try await withThrowingTaskGroup(of: [Person].self) { group in
            for _ in 0..<8 { group.addTask { try JsonDecoder(document, at: 0, in: 0).whole([Person].self) } }
            return try await group.reduce(into: []) { $0.append($1.map(\.name)) }
        }
        #expect(all.allSatisfy { $0 == (0..<100).map(String.init) })
    }
}
