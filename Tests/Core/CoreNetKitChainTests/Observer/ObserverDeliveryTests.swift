import Dispatch
import TestSupport

@Suite("Observer delivery", .timeLimit(.minutes(10)), .paced)
struct ObserverDeliveryTests {
    @Test("calls listeners in the order they subscribed, then defer")
    func order() async {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        for index in 0..<5 {
            context.defer { recorder.record("defer\(index)") }
            context.onCompleted { recorder.record("data\(index):\($0)") }
        }
        context.emit(data: 7).emit(data: 8)
        let round = { (model: Int) in (0..<5).map { "data\($0):\(model)" } + (0..<5).map { "defer\($0)" } }
        #expect(await recorder.events(20) == round(7) + round(8))
    }

    @Test("tells late listeners only the last outcome, and calls defer after them")
    @MainActor
    func replay() async {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        context.emit(data: 1).emit(error: ObserverTestError.source).emit(data: 2)
        // The main actor is ours: all of this is subscribed before the first call.
        context.defer { recorder.record("defer") }
        context.onError { _ in recorder.record("error") }
        context.onCompleted { recorder.record("first \($0)") }
        context.onCompleted { recorder.record("second \($0)") }
        #expect(await recorder.events(3) == ["first 2", "second 2", "defer"])
    }

    @Test(
        "happens on the main queue by default or on the builder's, and on that of dispatchOn",
        arguments: [true, false]
    )
    func queues(isMain: Bool) async {
        let (first, second) = (isMain ? .main : DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let context = isMain ? Context<Int>() : Context<Int>(deliverOn: first)
        let mapped = context.map { model in
            dispatchPrecondition(condition: .onQueue(first))
            return model
        }
        .onCompleted { _ in dispatchPrecondition(condition: .onQueue(first)) }
        .defer { dispatchPrecondition(condition: .onQueue(first)) }
        let last = mapped.dispatchOn(second).flatMap { _ -> Observer<Int> in
            dispatchPrecondition(condition: .onQueue(second))
            return .emit(data: 2)
        }
        .onCompleted { _ in dispatchPrecondition(condition: .onQueue(second)) }
        context.complete(.success(1))
        await mapped.delivered()
        await last.delivered()
    }

    @Test("happens on the actor where a closure was written, whatever the queue")
    @MainActor
    func mainActor() async {
        let presenter = Presenter()
        presenter.load(Context<Int>(deliverOn: DispatchQueue(label: "other")))
        #expect(await presenter.recorder.events(3) == ["title 1", "shown", "hidden"])
    }

    @MainActor
    final class Presenter {
        let recorder = ObserverRecorder()

        func load(_ context: Context<Int>) {
            context.map { self.title($0) }
                .onCompleted { [weak self] title in self?.show(title) }
                .defer { [weak self] in self?.hide() }
            context.complete(.success(1))
        }

        func title(_ model: Int) -> String { "title \(model)" }

        func show(_ title: String) {
            MainActor.assertIsolated()
            recorder.record(title)
            recorder.record("shown")
        }

        func hide() { recorder.record("hidden") }
    }

    actor Store {
        let recorder = ObserverRecorder()
        var total = 0

        func follow(_ context: Context<Int>) {
            context.onCompleted { model in
                self.total += model
                self.recorder.record("\(self.total)")
            }
        }
    }

    @Test("happens on any actor, in order among listeners of other isolation")
    @MainActor
    func otherActor() async {
        let store = Store()
        let context = Context<Int>()
        await store.follow(context)
        let recorder = store.recorder
        context.onCompleted { _ in recorder.record("main") }
        await store.follow(context)
        for _ in 0..<10 { context.emit(data: 1) }
        let expected = (0..<10).flatMap { ["\($0 * 2 + 1)", "main", "\($0 * 2 + 2)"] }
        #expect(await recorder.events(30) == expected)
    }

    @Test("of value, outcomes, combine and dispatchOn does not need the delivery queue")
    func withoutQueue() async throws {
        let blocked = DispatchQueue(label: "blocked")
        blocked.suspend()
        defer { blocked.resume() }
        let context = Context<Int>(deliverOn: blocked)
        context.onCompleted { _ in Issue.record("The queue is suspended.") }
        let combined = context.combine(Context<Int>(deliverOn: blocked).emit(data: 2))
        let queue = ObserverRecorder().listen(to: context.dispatchOn(DispatchQueue(label: "free")))
        context.complete(.success(1))
        #expect(try await context.value == 1)
        #expect(try await combined.value == (1, 2))
        #expect(await queue.allEvents() == ["1", "defer"])
        for await outcome in context.outcomes { #expect(try outcome.get() == 1) }
        context.unsubscribe()
    }

    @Test("continues when the observer is released")
    func unkept() async {
        let recorder = ObserverRecorder()
        func load() -> Observer<Int> {
            let context = Context<Int>()
            Task { context.emit(data: 1) }
            return context.map { $0 + 1 }
        }
        recorder.listen(to: load())
        #expect(await recorder.allEvents() == ["2", "defer"])
    }

    @Test("stops for the listeners of an observer after unsubscribe, not for derived observers")
    func unsubscribe() async {
        let context = Context<Int>()
        let (dropped, kept) = (ObserverRecorder().listen(to: context), ObserverRecorder())
        kept.listen(to: context.map { $0 + 1 })
        context.unsubscribe().emit(data: 1)
        #expect(await kept.events(2) == ["2", "defer"])
        #expect(await dropped.allEvents() == [])
    }

    @Test("of outcomes gives all of them in order, and leaving the loop lets the call continue")
    func outcomes() async throws {
        let context = Context<Int>()
        context.emit(data: 1)
        var iterator = context.outcomes.makeAsyncIterator()
        context.emit(data: 2).emit(error: ObserverTestError.source).complete(.success(3))
        var seen: [String] = []
        while let outcome = await iterator.next() {
            switch outcome {
            case .success(let model): seen.append("\(model)")
            case .failure(let error): seen.append("\(error)")
            }
        }
        #expect(seen == ["1", "2", "source", "3"])

        let other = Context<Int>(onCancel: { Issue.record("Nobody cancelled.") })
        other.emit(data: 1)
        for await _ in other.outcomes { break }
        other.complete(.success(2))
        #expect(try await other.value == 2)
    }
}
