import CoreNetKit
import CoreNetKitSystem
import Dispatch
import TestPace
import Testing
import TestSupport

@Suite("An operator that is no longer wanted", .timeLimit(.minutes(10)), .paced)
struct ObserverLeavingTests {
    /// What a closure holds; tells when it is let go.
    private final class Capture: Sendable {
        let recorder: ObserverRecorder

        init(_ recorder: ObserverRecorder) { self.recorder = recorder }

        deinit { recorder.record("released") }

        func use(_ model: Int) -> Int {
            recorder.record("map \(model)")
            return model
        }
    }

    private func map(_ source: Observer<Int>, _ recorder: ObserverRecorder) -> Observer<Int> {
        let capture = Capture(recorder)
        return source.map { capture.use($0) }
    }

    @Test("is released at once, with everything it holds, and receives nothing that its source emits then")
    func later() async throws {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        let source = context.dispatchOn(.global())
        var derived: Observer<Int>? = map(source, recorder)
        context.emit(data: 1)
        #expect(try await derived?.value == 1)
        derived = nil
        #expect(await recorder.events(2) == ["map 1", "released"])
        source.onCompleted { recorder.record("source \($0)") }
        // A late listener is told what came before.
        #expect(await recorder.events(3).last == "source 1")
        context.emit(data: 2)
        #expect(await recorder.events(4).last == "source 2")
    }

    @Test("is released with what its source emitted before but had not reported yet")
    func waiting() async throws {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        let source = context.dispatchOn(.global())
        let gate = Signal()
        let reached = Signal()
        // Stands before the other in line, and keeps it waiting.
        let slow = source.map { model in
            guard model == 2 else { return }
            reached.signal()
            await gate.wait()
        }
        var derived: Observer<Int>? = map(source, recorder)
        context.emit(data: 1)
        #expect(try await derived?.value == 1)
        context.emit(data: 2)
        await reached.wait()
        derived = nil
        #expect(await recorder.events(2) == ["map 1", "released"])
        source.onCompleted { recorder.record("source \($0)") }
        gate.signal()
        #expect(await recorder.events(3) == ["map 1", "released", "source 2"])
        try await slow.value
    }
}
