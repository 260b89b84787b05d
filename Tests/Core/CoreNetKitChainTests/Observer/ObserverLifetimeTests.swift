import Dispatch
import TestSupport

@Suite("Observer lifetime", .timeLimit(.minutes(10)), .paced)
struct ObserverLifetimeTests {
    /// Something a closure captures, and whoever waits for its end.
    final class Capture: Sendable {
        let onRelease: @Sendable () -> Void

        init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

        deinit { onRelease() }

        func use() {}

        func using<Value>(_ value: Value) -> Value { value }
    }

    enum End: CaseIterable, Sendable {
        case completes, fails, isCanceled, isDropped
    }

    @Test("releases every closure once the call is over, even if the observers are kept", arguments: End.allCases)
    func releasesClosures(end: End) async {
        var context: Context<[Int]>? = Context()
        let recorder = ObserverRecorder()
        var kept: [any CancelableContext] = []
        if let context {
            let capture = Capture { recorder.record("released") }
            context.onCancel { capture.use() }
            let observer =
                context
                .map { capture.using($0) }
                .flatMap { models -> Observer<[Int]> in .emit(data: capture.using(models)) }
                .flatMapError { error -> Observer<[Int]> in .emit(error: capture.using(error)) }
                .catchError { (_: CancellationError) in capture.use() }
                .filter { _ in capture.using(true) }
                .dispatchOn(.global())
            let pair = observer.combine(.emit(data: 1))
                .chain { _ -> Observer<Int>? in .emit(data: capture.using(2)) }
            pair.onCompleted { _ in capture.use() }.onError { _ in capture.use() }
                .onCanceled { capture.use() }.defer { capture.use() }
            kept = [observer, pair]
        }
        switch end {
        case .completes: context?.complete(.success([1]))
        case .fails: context?.complete(.failure(ObserverTestError.source))
        case .isCanceled: kept.last?.cancel()
        case .isDropped: break
        }
        context = nil
        #expect(await recorder.events(1) == ["released"])
        #expect(kept.count == 2)
    }

    @Test("releases the observers, and with them the last outcome, when they have no owner", arguments: End.allCases)
    func releasesObservers(end: End) async {
        let recorder = ObserverRecorder()
        func start() {
            let context = Context<Capture>()
            let derived = context.map { $0 }.dispatchOn(.global()).combine(context)
            derived.onCompleted { _ in recorder.record("completed") }
            context.emit(data: Capture { recorder.record("released") })
            switch end {
            case .completes: context.complete(.success(Capture { recorder.record("released") }))
            case .fails: context.complete(.failure(ObserverTestError.source))
            case .isCanceled: derived.cancel()
            case .isDropped: break
            }
        }
        start()
        let models = end == .completes ? 2 : 1
        var events: [String] = []
        while !Task.isCancelled, events.count(where: { $0 == "released" }) < models {
            events = await recorder.events(events.count + 1)
        }
    }

    @Test("ends in cancellation if the source is released without an outcome")
    func droppedContext() async {
        let recorder = ObserverRecorder()
        let waiting = Task {
            let observer: Observer<Int> = Context<Int>(onCancel: { recorder.record("canceled") }).map { $0 + 1 }
            return try await observer.value
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(await recorder.events(1) == ["canceled"])
    }

    @Test("keeps the last outcome of a released source")
    func endedContext() async throws {
        let observer: Observer<Int> = Context<Int>().emit(data: 1).emit(data: 2).dispatchOn(.global())
        #expect(try await observer.value == 2)
        #expect(await ObserverRecorder().listen(to: observer).allEvents() == ["2", "defer"])
    }

    @Test("calls every listener exactly once, with concurrent emits, cancels and subscriptions")
    func stress() async {
        for round in 0..<200 {
            let context = Context<Int>(deliverOn: .global())
            let derived = context.map { $0 + 1 }
            let recorders = (0..<8).map { _ in ObserverRecorder() }
            await withTaskGroup { group in
                for (index, recorder) in recorders.enumerated() {
                    group.addTask { _ = recorder.listen(to: index.isMultiple(of: 2) ? context : derived) }
                }
                group.addTask { context.complete(.success(1)) }
                if round.isMultiple(of: 2) { group.addTask { _ = derived.cancel() } }
            }
            for recorder in recorders {
                let events = await recorder.allEvents()
                #expect([["canceled", "defer"], ["1", "defer"], ["2", "defer"]].contains(events), "\(events)")
            }
        }
    }

    @Test("keeps the order of many emits while others subscribe and wait")
    func orderUnderLoad() async throws {
        let context = Context<Int>(deliverOn: DispatchQueue(label: "order"))
        let seen = Locked<[Int]>([])
        context.onCompleted { model in seen.withLock { $0.append(model) } }
        let relayed = Task {
            var models: [Int] = []
            for await outcome in context.outcomes { models.append(try outcome.get()) }
            return models
        }
        async let emits: Void = {
            for model in 1..<1000 { context.emit(data: model) }
            context.complete(.success(1000))
        }()
        for _ in 0..<50 {
            context.onCompleted { _ in }
            _ = try await context.value
        }
        await emits
        let models = try await relayed.value
        #expect(models == Array((models.first ?? 0)...1000))
        #expect(await ObserverRecorder().listen(to: context).allEvents() == ["1000", "defer"])
        #expect(seen.withLock(\.self) == Array(1...1000))
    }
}

@Suite("An operator that is no longer wanted", .timeLimit(.minutes(10)), .paced)
struct ObserverLeavingTests {
    private func map(_ source: Observer<Int>, _ recorder: ObserverRecorder) -> Observer<Int> {
        let capture = ObserverLifetimeTests.Capture { recorder.record("released") }
        return source.map { model in
            recorder.record("map \(model)")
            return capture.using(model)
        }
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
