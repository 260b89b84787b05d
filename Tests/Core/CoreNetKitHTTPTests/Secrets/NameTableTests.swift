@testable import CoreNetKitHTTP
import TestPace
import Testing

@Suite("Names known by a few words", .timeLimit(.minutes(10)), .paced)
struct NameTableTests {
    private static let names = [
        "te", "age", "date", "accept", "location", "if-match", "user-agent", "x-request-id", "if-modified-since",
        "if-unmodified-since",
    ]
    private let table = NameTable(names.joined(separator: " "))

    private func contains(_ name: some Sequence<UInt8>) -> Bool {
        Array(name).withUnsafeBufferPointer { table.contains($0) }
    }

    @Test("each name is found, in any case")
    func same() {
        for name in Self.names { #expect(contains(name.utf8) && contains(name.uppercased().utf8), "\(name)") }
    }

    @Test("a name with one letter more, less or different is not found")
    func near() {
        var found: [String] = []
        for name in Self.names.map({ Array($0.utf8) }) {
            for (index, letter) in name.indices.flatMap({ index in "-0az~".utf8.map { (index, $0) } }) {
                var others = [name, name, name]
                others[0][index] = letter
                others[1].insert(letter, at: index)
                others[2].remove(at: index)
                for other in others where other != name && contains(other) {
                    found.append(String(decoding: other, as: UTF8.self))
                }
            }
        }
        #expect(found == [])
        #expect(!contains("".utf8) && !contains("x".utf8) && !contains(String(repeating: "a", count: 100).utf8))
    }
}
