import TestSupport

@testable import CoreNetKitChain

@Suite("A queue from which elements can be removed", .paced)
struct RemovalQueueTests {
    private struct Guest: QueueRemovable, Equatable, Sendable {
        let number: Int
        let removalKey: Int?
    }

    private struct Counting: QueueRemovable {
        let removalKey: Counted?
    }

    @Test("behaves like an array, whatever is added and removed", arguments: TestRounds.seeds(8))
    func model(seed: Int) {
        var dice = SplitMix64(seed: UInt64(seed))
        var queue = RemovalQueue<Guest>()
        var model: [Guest] = []
        for step in 0..<600 {
            let key = Int.random(in: 0..<90, using: &dice)
            // One in nine never leaves before its turn.
            let guest = Guest(number: step, removalKey: key % 9 == 0 ? nil : key / 2)
            switch Int.random(in: 0..<(step < 300 ? 6 : 10), using: &dice) {
            case 0...2:
                queue.append(guest)
                model.append(guest)
            case 3:
                queue.insert(guest, beforeTrailing: { $0.number % 3 == 0 })
                let trailing = model.reversed().prefix { $0.number % 3 == 0 }.count
                model.insert(guest, at: model.count - trailing)
            case 4, 5, 6, 7:
                var removed = RemovalQueue<Guest>()
                queue.remove(key, into: &removed)
                #expect(Set(removed.elements.map(\.number)) == Set(model.filter { $0.removalKey == key }.map(\.number)))
                model.removeAll { $0.removalKey == key }
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

    @Test("costs each removed element the same, however many there are", arguments: [0, 1, 7919])
    func growth(stride: Int) {
        let costs = [250, 4000].map { size -> Double in
            let steps = Counted.Steps()
            let keys = (0..<size).map { Counted($0, steps) }
            var queue = RemovalQueue<Counting>()
            for key in keys { queue.append(Counting(removalKey: key)) }
            var removed = RemovalQueue<Counting>()
            // From the end, from the front, and all over.
            for index in (0..<size).map({ stride == 0 ? size - 1 - $0 : $0 * stride % size }) {
                queue.remove(keys[index], into: &removed)
            }
            #expect(queue.isEmpty)
            return Double(steps.count)
        }
        #expect(costs[1] / costs[0] > 12 && costs[1] / costs[0] < 20)
    }
}

@Suite("Leaving an observer with many listeners", .paced)
struct ObserverGrowthTests {
    private func listener(_ id: Int) -> ObserverListener {
        ObserverListener(id: id, kind: .step, isolation: nil) { _ in }
    }

    /// What leaves is carried out of the lock, for the sake of its deinit; whoever stays is not touched.
    @Test("removes only the leaving listener", arguments: [1, 7919], [false, true])
    func carried(stride: Int, isTold: Bool) {
        for size in [16, 2000] {
            var state = ObserverState()
            var effects = ObserverState.Effects()
            for id in 1...size { state.subscribe(listener(id), &effects) }
            if isTold { state.emit(.success(of: 1), ending: 0, &effects) }
            var carried = 0
            for step in 0..<size {
                var effects = ObserverState.Effects()
                state.removeSubscription(1 + step * stride % size, &effects)
                carried += effects.droppedListeners.elements.count + effects.droppedDeliveries.elements.count
            }
            #expect(carried == size * (isTold ? 2 : 1))
            #expect(state.listeners.isEmpty && state.deliveries.isEmpty)
        }
    }

    @Test("and a source that has ended is left alone, however many others there are")
    func sources() {
        for size in [16, 2000] {
            var state = ObserverState()
            let core = ObserverCore(executor: .main)
            var effects = ObserverState.Effects()
            for id in 1...size { state.add(source: .init(core: core, subscription: id), emits: true, &effects) }
            for id in 1...size { state.removeSource(id, &effects) }
            #expect(effects.droppedSources.elements.count == size && state.sources.isEmpty)
        }
    }
}
