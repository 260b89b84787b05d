import Dispatch
import TestSupport

@Suite("Observer ends", .timeLimit(.minutes(10)), .paced)
struct ObserverEndTests {
    typealias Capture = ObserverLifetimeTests.Capture

    /// Ways to end a context that somebody holds on to.
    enum End: CaseIterable, Sendable {
        case completes, fails, finishes, finishesWithoutOutcome, isCanceled
    }

    @Test("a retained context ends when it says so: the loop over its outcomes ends", arguments: End.allCases)
    func outcomesEnd(end: End) async {
        let context = Context<Int>()
        let loop = Task {
            var seen: [String] = []
            for await outcome in context.outcomes { seen.append((try? outcome.get()).map { "\($0)" } ?? "error") }
            return seen
        }
        switch end {
        case .completes: context.complete(data: 1)
        case .fails: context.complete(error: ObserverTestError.source)
        case .finishes: context.emit(data: 1).finish()
        case .finishesWithoutOutcome: context.finish()
        case .isCanceled: context.cancel()
        }
        let expected: [String] =
            switch end {
            case .completes, .finishes: ["1"]
            case .fails: ["error"]
            case .finishesWithoutOutcome, .isCanceled: []
            }
        #expect(await loop.value == expected)
        context.emit(data: 2).complete(data: 3).complete(error: ObserverTestError.other).finish()
        let last = end == .fails ? "source" : expected.first ?? "canceled"
        #expect(await ObserverRecorder().listen(to: context).allEvents() == [last, "defer"])
    }

    @Test("an outcome emitted at once is final: a later cancel is silent", arguments: [true, false])
    func staticEmit(isModel: Bool) async {
        let context: Context<Int> = isModel ? .emit(data: 1) : .emit(error: ObserverTestError.source)
        let recorder = ObserverRecorder().listen(to: context)
        let expected = [isModel ? "1" : "source", "defer"]
        #expect(await recorder.allEvents() == expected)
        context.cancel()
        context.emit(data: 2)
        #expect(await recorder.allEvents() == expected)
    }

    @Test("detach ends one observer; its source, its siblings and the call continue")
    func detach() async {
        let counter = Signal()
        let context = Context<Int>(onCancel: { counter.signal() })
        let derived = context.map { $0 + 1 }
        let below = ObserverRecorder().listen(to: derived.map { $0 + 1 })
        let sibling = ObserverRecorder().listen(to: context.map { $0 + 10 })
        let recorder = ObserverRecorder().listen(to: derived)
        derived.detach().detach().cancel()
        #expect(await recorder.allEvents() == ["canceled", "defer"])
        #expect(await below.allEvents() == ["canceled", "defer"])
        context.complete(data: 1)
        #expect(await sibling.allEvents() == ["11", "defer"])
        #expect(counter.count == 0)
    }

    enum Derivation: CaseIterable, Sendable {
        case map, combine, dispatchOn, chain, mapError, filter
    }

    private func derive(_ kind: Derivation, from context: Context<[Int]>, _ capture: Capture) -> Observer<String> {
        switch kind {
        case .map: context.map { capture.using("\($0)") }
        case .combine: context.combine(Context<Int>().emit(data: 1)).map { capture.using("\($0)") }
        case .dispatchOn: context.dispatchOn(.global()).map { capture.using("\($0)") }
        case .chain: context.chain { _ -> Observer<Int>? in .emit(data: capture.using(1)) }.map { "\($0)" }
        case .mapError: context.mapError { (error: any Error) in capture.using(error) }.map { "\($0)" }
        case .filter: context.filter { _ in capture.using(true) }.map { "\($0)" }
        }
    }

    @Test(
        "the closures below a living context are released by detach, or without owner and listeners by its next outcome",
        arguments: Derivation.allCases,
        [true, false]
    )
    func releases(kind: Derivation, detaches: Bool) async {
        let recorder = ObserverRecorder()
        let context = Context<[Int]>()
        var derived: Observer<String>?
        do {
            let capture = Capture { recorder.record("released") }
            derived = derive(kind, from: context, capture)
            if detaches { derived?.onCompleted { _ in capture.use() } } else { derived = nil }
        }
        derived?.detach()
        if !detaches || kind != .map { context.emit(data: [1]) }
        #expect(await recorder.events(1) == ["released"])
        withExtendedLifetime((context, derived)) {}
    }

    @Test("an operator without an owner does its work once, and again as long as it has listeners")
    func unheldWork() async {
        let recorder = ObserverRecorder()
        let context = Context<Int>(deliverOn: DispatchQueue(label: "unheld"))
        _ = context.map { recorder.record("alone \($0)") }
        context.map { $0 * 10 }.map { $0 + 1 }.onCompleted { recorder.record("heard \($0)") }
        context.emit(data: 1)
        #expect(await recorder.events(2).sorted() == ["alone 1", "heard 11"])
        context.emit(data: 2)
        #expect(await recorder.events(3).last == "heard 21")
        let kept = context.map { recorder.record("kept \($0)") }
        _ = await recorder.events(4)
        context.complete(data: 3)
        _ = await ObserverRecorder().listen(to: kept).allEvents()
        #expect(await recorder.events(6).suffix(2).sorted() == ["heard 31", "kept 3"])
    }

    @Test("a failed combination can still be cancelled: the other call ends on the wire", arguments: [0, 1])
    func cancelAfterFailure(failing: Int) async {
        let counters = [Signal(), Signal()]
        let contexts = counters.map { counter in Context<Int>(onCancel: { counter.signal() }) }
        let combined = contexts[0].combine(contexts[1])
        let recorder = ObserverRecorder().listen(to: combined)
        let other = ObserverRecorder().listen(to: contexts[1 - failing])
        contexts[failing].complete(error: ObserverTestError.source)
        #expect(await recorder.allEvents() == ["source", "defer"])
        combined.cancel().cancel()
        #expect(counters.map(\.count) == (failing == 0 ? [0, 1] : [1, 0]))
        #expect(await other.allEvents() == ["canceled", "defer"])
        #expect(await recorder.allEvents() == ["source", "defer"])
        #expect(await ObserverRecorder().listen(to: combined).allEvents() == ["source", "defer"])
    }

    @Test("a failed combination without an owner keeps nothing of the other call")
    func failedCombinationIsReleased() async {
        let recorder = ObserverRecorder()
        let other = Context<Int>(onCancel: { Issue.record("Nobody cancelled.") })
        do {
            let first = Context<Capture>()
            let combined = first.combine(other)
            first.emit(data: Capture { recorder.record("released") })
            first.complete(error: ObserverTestError.source)
            _ = await ObserverRecorder().listen(to: combined).allEvents()
        }
        #expect(await recorder.events(1) == ["released"])
        other.complete(data: 1)
    }

    @Test("delivered() returns if the listeners were forgotten meanwhile", arguments: [true, false])
    func deliveredAfterUnsubscribe(isEmittedFirst: Bool) async {
        let context = Context<Int>(deliverOn: DispatchQueue(label: "forgotten"))
        let hold = DispatchSemaphore(value: 0)
        let recorder = ObserverRecorder()
        context.onCompleted { _ in
            recorder.record("called")
            hold.wait()
        }
        if isEmittedFirst { context.complete(data: 1) }
        let waiting = Task { await context.delivered() }
        // Long enough for the wait to have begun; one that begins later ends all the same.
        for _ in 0..<100 { await Task.yield() }
        context.unsubscribe()
        if !isEmittedFirst { context.complete(data: 1) }
        hold.signal()
        await waiting.value
        // What is forgotten is not called later, but this is an end for whoever waits from now on as well.
        await context.delivered()
        #expect(await recorder.events(0).count <= 1)
    }

    /// The operators that follow a call which their closure gives.
    enum Following: CaseIterable, Sendable {
        case map, chain, recover
    }

    @Test(
        "an observer that is to follow itself is an error, and so is one that waits for it",
        arguments: Following.allCases,
        [0, 1]
    )
    func followsItself(kind: Following, distance: Int) async {
        let made = Locked<Observer<Int>?>(nil)
        let gate = Context<Int>(deliverOn: DispatchQueue(label: "itself"))
        let next: @Sendable () async -> Observer<Int> = {
            while true {
                if let observer = made.withLock({ $0 }) { return observer }
                await Task.yield()
            }
        }
        let observer: Observer<Int> =
            switch kind {
            case .map: gate.flatMap { _ in await next() }
            case .chain: gate.chain(with: { _ in await next() }).map { $0.0 }
            case .recover: gate.flatMapError { _ in await next() }
            }
        made.withLock { $0 = distance == 0 && kind != .chain ? observer : observer.dispatchOn(.global()).map { $0 } }
        if kind == .recover { gate.complete(error: ObserverTestError.source) } else { gate.complete(data: 1) }
        let error = await #expect(throws: NetworkError.self) { try await observer.value }
        #expect(error?.code == .invalidChain)
        made.withLock { $0 = nil }
    }

    @Test("two observers that are to follow each other are an error")
    func followEachOther() async {
        let second = Locked<Observer<Int>?>(nil)
        let sources = [Context<Int>(deliverOn: .global()), Context<Int>(deliverOn: .global())]
        let first = sources[0].flatMap { value in second.withLock { $0 } ?? .emit(data: value) }
        let other = sources[1].flatMap { _ in first }
        second.withLock { $0 = other }
        for source in sources { source.complete(data: 1) }
        await #expect(throws: NetworkError.self) { try await first.value }
        await #expect(throws: NetworkError.self) { try await other.value }
        second.withLock { $0 = nil }
    }
}
