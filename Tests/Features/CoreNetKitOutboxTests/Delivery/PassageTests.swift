import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@testable import CoreNetKitOutbox

@Suite("Which entries may go, and where", .paced)
struct PassageTests {
    private func entry(_ url: String = "https://a.test/x", of owner: String? = nil) -> BoxEntry {
        var head = EntryHead.test(url: url)
        head.owner = owner
        return BoxEntry(EntryFacts(number: 1, head: head, count: 1, kin: EntryKin(head)))
    }

    @Test("unowned entries may always go, an owner's while the owner is there and not signing out")
    func owners() {
        var passage = Passage(owner: "alice", seed: 1)
        #expect(passage.isPresent(nil) && passage.isPresent("alice") && !passage.isPresent("bob"))
        passage.park("alice")
        #expect(!passage.isPresent("alice") && passage.isParked("alice") && passage.isPresent(nil))
        passage.unpark("alice")
        #expect(passage.isPresent("alice"))
        passage.name("bob")
        #expect(passage.isPresent("bob") && !passage.isPresent("alice") && passage.namedOwner == "bob")
    }

    @Test("a pause belongs to an owner at an origin, and ends with the owner's return or explicitly")
    func pauses() {
        var passage = Passage(owner: "alice", seed: 1)
        let (here, there, bobs) = (entry(of: "alice"), entry("https://b.test/", of: "alice"), entry(of: "bob"))
        passage.pause(here, "401", refusedWith: nil)
        #expect(passage.pause(of: here) == "401")
        #expect(passage.pause(of: there) == nil && passage.pause(of: bobs) == nil)
        passage.unpark("bob")
        #expect(passage.pause(of: here) == "401")
        passage.name("alice")
        #expect(passage.pause(of: here) == nil)
        passage.pause(here, "401", refusedWith: nil)
        passage.forgetHosts()
        #expect(passage.pause(of: here) == "401")
        passage.forgetAll()
        #expect(passage.pause(of: here) == nil)
    }

    @Test("the wait for an unreachable origin grows, up to a minute, until it is reached")
    func origins() {
        var passage = Passage(seed: 1)
        let (here, there) = (entry(), entry("https://b.test/"))
        var last = Duration.zero
        for round in 0..<12 {
            passage.missed(here, at: .zero, first: .seconds(1), longest: .seconds(900))
            let wait = passage.notBefore(here)
            let ceiling = min(Duration.seconds(1 << min(round, 10)), .seconds(60))
            #expect(wait >= ceiling / 2 && wait <= ceiling, "\(round): \(wait)")
            last = wait
        }
        #expect(last >= .seconds(30) && passage.notBefore(there) == .zero)
        let reached = [passage.reached(there), passage.reached(here), passage.reached(here)]
        #expect(reached == [false, true, false])
        #expect(passage.notBefore(here) == .zero)
    }

    @Test("the same seed, entry and attempt give the same random number")
    func random() {
        let entry = entry()
        let numbers = (0..<100).map { Passage(seed: $0).random(entry) }
        #expect(numbers == (0..<100).map { Passage(seed: $0).random(entry) })
        #expect(numbers.allSatisfy { 0..<1 ~= $0 } && Set(numbers).count > 90)
    }
}
