import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@testable import CoreNetKitOutbox

@Suite("Which entries may go, and where", .paced)
struct DeliveryGateTests {
    private func entry(_ url: String = "https://a.test/x", of owner: String? = nil) -> IndexedEntry {
        var head = EntryHead.test(url: url)
        head.owner = owner
        return IndexedEntry(EntryFacts(number: 1, head: head, count: 1, shared: SharedEntryProperties(head)))
    }

    @Test("unowned entries may always go, an owner's while the owner is there and not signing out")
    func owners() {
        var gate = DeliveryGate(owner: "alice", seed: 1)
        #expect(gate.isPresent(nil) && gate.isPresent("alice") && !gate.isPresent("bob"))
        gate.park("alice")
        #expect(!gate.isPresent("alice") && gate.isParked("alice") && gate.isPresent(nil))
        gate.unpark("alice")
        #expect(gate.isPresent("alice"))
        gate.name("bob")
        #expect(gate.isPresent("bob") && !gate.isPresent("alice") && gate.namedOwner == "bob")
    }

    @Test("a pause belongs to an owner at an origin, and ends with the owner's return or explicitly")
    func pauses() {
        var gate = DeliveryGate(owner: "alice", seed: 1)
        let (here, there, bobs) = (entry(of: "alice"), entry("https://b.test/", of: "alice"), entry(of: "bob"))
        gate.pause(here, "401", refusedWith: nil)
        #expect(gate.pause(of: here) == "401")
        #expect(gate.pause(of: there) == nil && gate.pause(of: bobs) == nil)
        gate.unpark("bob")
        #expect(gate.pause(of: here) == "401")
        gate.name("alice")
        #expect(gate.pause(of: here) == nil)
        gate.pause(here, "401", refusedWith: nil)
        gate.forgetHosts()
        #expect(gate.pause(of: here) == "401")
        gate.forgetAll()
        #expect(gate.pause(of: here) == nil)
    }

    @Test("the wait for an unreachable origin grows, up to a minute, until it is reached")
    func origins() {
        var gate = DeliveryGate(seed: 1)
        let (here, there) = (entry(), entry("https://b.test/"))
        var last = Duration.zero
        for round in 0..<12 {
            gate.missed(here, at: .zero, first: .seconds(1), longest: .seconds(900))
            let wait = gate.notBefore(here)
            let ceiling = min(Duration.seconds(1 << min(round, 10)), .seconds(60))
            #expect(wait >= ceiling / 2 && wait <= ceiling, "\(round): \(wait)")
            last = wait
        }
        #expect(last >= .seconds(30) && gate.notBefore(there) == .zero)
        let reached = [gate.reached(there), gate.reached(here), gate.reached(here)]
        #expect(reached == [false, true, false])
        #expect(gate.notBefore(here) == .zero)
    }

    @Test("the same seed, entry and attempt give the same random number")
    func random() {
        let entry = entry()
        let numbers = (0..<100).map { DeliveryGate(seed: $0).random(entry) }
        #expect(numbers == (0..<100).map { DeliveryGate(seed: $0).random(entry) })
        #expect(numbers.allSatisfy { 0..<1 ~= $0 } && Set(numbers).count > 90)
    }
}
