import Dispatch
import TestSupport

@Suite("Observer cancellation", .timeLimit(.minutes(10)), .paced)
struct ObserverCancellationTests {
    @Test("reaches the source through every operator, once")
    func travelsUpstream() {
        let counter = Signal()
        let source = Context<[Int]>(onCancel: { counter.signal() })
        let last =
            source
            .map { $0.count }
            .mapError { _ in ObserverTestError.mapped }
            .dispatchOn(.global())
            .catchError { (_: ObserverTestError) in }
            .combine(Context<Int>())
            .flatMap { .emit(data: $0.0) }
        last.cancel().cancel()
        #expect(counter.count == 1)
    }

    @Test("of a combined observer reaches both sources, of one source reaches the other")
    func reachesBothSources() {
        let (first, second) = (Signal(), Signal())
        let sources = (
            Context<Int>(onCancel: { first.signal() }), Context<Int>(onCancel: { second.signal() })
        )
        let combined = sources.0.combineTolerance(sources.1)
        sources.1.cancel()
        combined.cancel()
        #expect(first.count == 1)
        #expect(second.count == 1)
    }

    @Test("reaches the call that map started")
    func reachesInnerCall() async {
        let recorder = ObserverRecorder()
        let inner = Context<Int>(onCancel: { recorder.record("inner") })
        let source = Context<Int>()
        let derived = source.flatMap { _ -> Observer<Int> in
            recorder.record("started")
            return inner
        }
        source.complete(.success(1))
        _ = await recorder.events(1)
        // `follow` runs after the closure on the same task: the next delivery comes after both.
        let fence = ObserverRecorder().listen(to: source)
        _ = await fence.allEvents()
        derived.cancel()
        #expect(await recorder.events(2) == ["started", "inner"])
    }

    @Test("is reported to siblings")
    func reachesSiblings() async {
        let source = Context<Int>()
        let sibling = ObserverRecorder().listen(to: source.map { $0 + 1 })
        let listener = ObserverRecorder().listen(to: source)
        source.map { $0 + 2 }.cancel()
        #expect(await sibling.allEvents() == ["canceled", "defer"])
        #expect(await listener.allEvents() == ["canceled", "defer"])
    }

    @Test("takes its place before a pending call, so that no listener gets a model after cancel()")
    @MainActor
    func winsOverPendingDelivery() async {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        let sibling = ObserverRecorder().listen(to: context.dispatchOn(DispatchQueue(label: "sibling")))
        recorder.listen(to: context)
        // The main actor is ours until the first await: the delivery must still wait.
        context.complete(.success(1))
        context.cancel()
        #expect(await recorder.allEvents() == ["canceled", "defer"])
        #expect(await sibling.allEvents() == ["1", "defer"])
    }

    @Test("in a listener stops the listeners that were not called yet, while more could come")
    func inListener() async {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        context.onCompleted { _ in
            recorder.record("first")
            context.cancel()
        }
        recorder.listen(to: context)
        context.emit(data: 1)
        #expect(await recorder.allEvents() == ["first", "canceled", "defer"])
    }

    @Test("in a listener of the last outcome changes nothing: the call is over for all")
    func inListenerOfEnd() async throws {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        context.onCompleted { _ in context.cancel() }
        recorder.listen(to: context)
        context.complete(.success(1))
        #expect(await recorder.allEvents() == ["1", "defer"])
        #expect(try await context.value == 1)
    }

    @Test("runs a handler added after cancel() at once, one added after the end never")
    func lateHandler() {
        let counter = Signal()
        let canceled = Context<Int>()
        canceled.cancel()
        canceled.onCancel { counter.signal() }
        #expect(counter.count == 1)

        let ended = Context<Int>()
        ended.complete(.success(1))
        ended.onCancel { counter.signal() }
        ended.cancel()
        #expect(counter.count == 1)
    }

    @Test("of the task that waits for value or outcomes cancels the call", arguments: [true, false])
    func ofWaitingTask(forValue: Bool) async {
        let counter = Signal()
        let context = Context<Int>(onCancel: { counter.signal() })
        let recorder = ObserverRecorder().listen(to: context)
        let task = Task {
            if forValue { return try await context.map { $0 + 1 }.value }
            for await _ in context.outcomes {}
            try Task.checkCancellation()
            return 0
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await recorder.allEvents() == ["canceled", "defer"])
        #expect(counter.count == 1)
    }

    @Test("as an error is a cancellation, emitted or thrown in an operator")
    func asError() async {
        let counter = Signal()
        let context = Context<Int>(onCancel: { counter.signal() })
        let derived = context.map { _ -> Int in throw CancellationError() }
        let recorder = ObserverRecorder().listen(to: derived)
        context.emit(data: 1)
        #expect(await recorder.allEvents() == ["canceled", "defer"])
        #expect(counter.count == 1)
        let emitted = ObserverRecorder().listen(to: Observer<Int>.emit(error: CancellationError()))
        #expect(await emitted.allEvents() == ["canceled", "defer"])
    }
}
