@testable import CoreNetKitCache
import CoreNetKitEssentials
import CoreNetKitSystem
import TestPace
import Testing

@Suite("The marks that a file has for all processes", .timeLimit(.minutes(10)), .paced)
struct RecentMarksTests {
    private static let keys = (0..<9_000).compactMap { number in
        URL(string: "http://host\(number % 31).test/\(number)").map { CacheKey(url: $0) }
    }

    /// Marks of the first keys, and the file that they have become.
    private struct Writer {
        var marks = RecentMarks()
        var file = RecentMarks.none

        mutating func mark(_ key: CacheKey) {
            for word in marks.add(key, correction: UInt64(key.place & 0xFF)) { file[word] = marks[word] }
        }

        func update(_ other: inout RecentMarks) -> Bool { other.update { Array(file[$0]) } }
    }

    @Test(
        "are read alike by whoever has followed and by whoever begins, also when the oldest ones have left",
        arguments: [0, 1, 100, RecentMarks.capacity, RecentMarks.capacity + 1, 9_000]
    )
    func reading(count: Int) {
        var (writer, follower, late, beginner) = (Writer(), RecentMarks(), RecentMarks(), RecentMarks())
        #expect(Self.keys.count == 9_000)
        for (number, key) in Self.keys.prefix(count).enumerated() {
            writer.mark(key)
            if number % 1_500 == 7 { #expect(writer.update(&follower)) }
            if number == 10 { #expect(writer.update(&late)) }
        }
        #expect(writer.update(&follower) && writer.update(&late) && writer.update(&beginner))
        for read in [follower, late, beginner] {
            let apart = Self.keys.filter { read.offset(of: $0) != writer.marks.offset(of: $0) }
            #expect(apart.isEmpty, "\(apart.count): \(String(describing: apart.first))")
            let others = (0..<CacheCounterTable.slots).filter {
                read.correction(at: $0) != writer.marks.correction(at: $0)
            }
            #expect(others == [])
        }
    }

    @Test("change the number of their URL, and of others only of its origin once they leave")
    func marking() {
        var writer = Writer()
        for key in Self.keys.prefix(RecentMarks.capacity) { writer.mark(key) }
        func offsets() -> [UInt64] {
            Self.keys.map { writer.marks.offset(of: $0) &- writer.marks.correction(at: $0.slot) }
        }
        let before = offsets()
        writer.mark(Self.keys[8_999])
        let (after, left) = (offsets(), Self.keys[0].place & UInt64(CacheCounterTable.slots - 1))
        for (number, key) in Self.keys.enumerated() {
            let isOrigin = key.place & UInt64(CacheCounterTable.slots - 1) == left
            #expect((before[number] != after[number]) == (isOrigin || number == 8_999), "\(number)")
        }
    }

    @Test("are not read from a file in which any word of them is another one, or that ends before them")
    func damage() {
        var writer = Writer()
        for key in Self.keys.prefix(20) { writer.mark(key) }
        var unseen: [String] = []
        for word in [0] + Array(RecentMarks.headWords..<RecentMarks.headWords + 40) {
            for bit in [0, 15, 16, 63] {
                var (damaged, marks) = (writer, RecentMarks())
                damaged.file[word] ^= 1 << UInt64(bit)
                if damaged.update(&marks) { unseen.append("bit \(bit) of \(word)") }
            }
        }
        // A checksum of 16 bits is right by chance one time in 65 536.
        #expect(unseen.count <= 1, "\(unseen)")
        for end in [0, 1, RecentMarks.headWords - 1, RecentMarks.headWords, RecentMarks.headWords + 39] {
            var marks = RecentMarks()
            #expect(!marks.update { $0.upperBound > end ? nil : Array(writer.file[$0]) })
        }
    }
}
