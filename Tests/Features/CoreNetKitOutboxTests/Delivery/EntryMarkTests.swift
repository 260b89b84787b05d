import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@testable import CoreNetKitOutbox

@Suite("What a rewritten log says about a waiting entry", .paced)
struct EntryMarkTests {
    private func entry() -> IndexedEntry {
        let head = EntryHead.test(made: WallMoment(wall: 1_800_000_000_000))
        return IndexedEntry(EntryFacts(number: 1, head: head, count: 100, shared: SharedEntryProperties(head)))
    }

    @Test("nothing about an untouched one")
    func untouched() { #expect(entry().marks.isEmpty) }

    @Test("that it waits, that it was tried, how often an attempt failed: each is kept by itself", arguments: 0..<3)
    func touched(_ kind: Int) {
        var entry = entry()
        switch kind {
        case 0: entry.history.wait = (next: 5, at: 3)
        case 1: entry.history.wasTried = true
        default: entry.history.attempts = 1
        }
        #expect(entry.marks.map(\.kind) == [.failed])
    }
}
