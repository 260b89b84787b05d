import CoreNetKitSystem
import TestPace
import Testing

@testable import CoreNetKitChain

@Suite("Leaving an observer with many listeners", .paced)
struct ObserverGrowthTests {
    private func listener(_ id: Int) -> ObserverListener {
        ObserverListener(id: id, kind: .step, isolation: nil) { _ in }
    }

    /// What leaves is carried out of the lock, for the sake of its deinit; whoever stays is not touched.
    @Test("removes only the leaving listener", arguments: [1, 7919], [false, true])
    func carried(stride: Int, isTold: Bool) {
        for size in [1000, 16_000] {
            var state = ObserverState()
            for id in 1...size { _ = state.subscribe(listener(id)) }
            if isTold { _ = state.emit(.success(of: 1), ending: 0) }
            var carried = 0
            for step in 0..<size {
                let effects = state.forget(1 + step * stride % size)
                carried += effects.droppedListeners.elements.count + effects.droppedDeliveries.elements.count
            }
            #expect(carried == size * (isTold ? 2 : 1))
            #expect(state.listeners.isEmpty && state.deliveries.isEmpty)
        }
    }

    @Test("and a source that has ended is left alone, however many others there are")
    func sources() {
        for size in [1000, 16_000] {
            var state = ObserverState()
            let cores = (0..<size).map { _ in ObserverCore(executor: .main) }
            for core in cores { _ = state.add(source: .core(core, 1), emits: true) }
            var carried = 0
            for core in cores {
                carried += state.remove(source: ObjectIdentifier(core)).droppedSources.elements.count
            }
            #expect(carried == size && state.sources.isEmpty)
        }
    }
}
