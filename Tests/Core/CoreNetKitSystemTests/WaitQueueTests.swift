import CoreNetKitSystem
import TestPace

@Suite("A waiting queue", .paced)
struct WaitQueueTests {
    @Test("behaves like an array, whatever is added and removed", arguments: 0..<40 as Range<UInt64>)
    func model(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var queue = WaitQueue<Int>()
        var model: [Int] = []
        for step in 0..<600 {
            let element = Int.random(in: 0..<90, using: &dice)
            switch Int.random(in: 0..<(step < 300 ? 5 : 8), using: &dice) {
            case 0...2:
                queue.append(element)
                if !model.contains(element) { model.append(element) }
            case 3, 4, 5:
                #expect(queue.remove(element) == model.contains(element))
                model.removeAll { $0 == element }
            default:
                #expect(queue.popFirst() == model.first)
                model = Array(model.dropFirst())
            }
            #expect(queue.elements == model && queue.count == model.count && queue.first == model.first)
            #expect(queue.isEmpty == model.isEmpty && queue.contains(element) == model.contains(element))
        }
    }

    @Test("equality depends on who waits in which order, not on who has left")
    func equality() {
        var queue = WaitQueue<Int>()
        var other = queue
        for number in 0..<4 { queue.append(number) }
        for number in [1, 3] { other.append(number) }
        #expect(queue != other && queue.hashValue != other.hashValue)
        queue.remove(0)
        queue.remove(2)
        #expect(queue == other && queue.hashValue == other.hashValue)
        other.append(2)
        #expect(queue != other)
    }

    @Test("leaving costs each the same, however many wait", arguments: [0, 1, 7919])
    func growth(stride: Int) {
        let growth = Counted.growth { elements in
            var queue = WaitQueue<Counted>()
            for element in elements { queue.append(element) }
            // From the end, from the front, and all over.
            let order = elements.indices.map { stride == 0 ? elements.count - 1 - $0 : $0 * stride % elements.count }
            for index in order { queue.remove(elements[index]) }
            #expect(queue.isEmpty)
        }
        #expect(growth > 12 && growth < 20)
    }
}

@Suite("A thread of the system's", .timeLimit(.minutes(10)), .paced)
struct DetachedThreadTests {
    @Test("runs its body, and says that it does")
    func start() async {
        let isStarted = Locked(false)
        await withCheckedContinuation { ended in
            let isThere = DetachedThread.start { ended.resume() }
            isStarted.withLock { $0 = isThere }
            if !isThere { ended.resume() }
        }
        #expect(isStarted.withLock { $0 })
    }
}
