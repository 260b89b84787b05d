import CoreNetKitChain
import CoreNetKitSystem
import TestPace
import Testing
import TestSupport

@Suite("A queue that elements may leave", .paced)
struct LeavingQueueTests {
    private struct Guest: Leaving, Equatable, Sendable {
        let number: Int
        let mark: Int?
    }

    private struct Counting: Leaving {
        let mark: Counted?
    }

    @Test("behaves like an array, whatever is added and removed", arguments: 0..<40 as Range<UInt64>)
    func model(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var queue = LeavingQueue<Guest>()
        var model: [Guest] = []
        for step in 0..<600 {
            let mark = Int.random(in: 0..<90, using: &dice)
            // One in nine never leaves before its turn.
            let guest = Guest(number: step, mark: mark % 9 == 0 ? nil : mark / 2)
            switch Int.random(in: 0..<(step < 300 ? 6 : 10), using: &dice) {
            case 0...2:
                queue.append(guest)
                model.append(guest)
            case 3:
                queue.insert(guest, beforeTrailing: { $0.number % 3 == 0 })
                let trailing = model.reversed().prefix { $0.number % 3 == 0 }.count
                model.insert(guest, at: model.count - trailing)
            case 4, 5, 6, 7:
                var gone = LeavingQueue<Guest>()
                queue.remove(mark, into: &gone)
                #expect(Set(gone.elements.map(\.number)) == Set(model.filter { $0.mark == mark }.map(\.number)))
                model.removeAll { $0.mark == mark }
            default:
                #expect(queue.popFirst() == model.first)
                model = Array(model.dropFirst())
            }
            var seen: [Guest] = []
            queue.forEach { seen.append($0) }
            #expect(queue.elements == model && seen == model && queue.first == model.first)
            #expect(queue.isEmpty == model.isEmpty)
        }
    }

    @Test("costs each leaving element the same, however many there are", arguments: [0, 1, 7919])
    func growth(stride: Int) {
        let costs = [1000, 16_000].map { size -> Double in
            let steps = Counted.Steps()
            let marks = (0..<size).map { Counted($0, steps) }
            var queue = LeavingQueue<Counting>()
            for mark in marks { queue.append(Counting(mark: mark)) }
            var gone = LeavingQueue<Counting>()
            // From the end, from the front, and all over.
            for index in (0..<size).map({ stride == 0 ? size - 1 - $0 : $0 * stride % size }) {
                queue.remove(marks[index], into: &gone)
            }
            #expect(queue.isEmpty)
            return Double(steps.count)
        }
        #expect(costs[1] / costs[0] > 12 && costs[1] / costs[0] < 20)
    }
}
