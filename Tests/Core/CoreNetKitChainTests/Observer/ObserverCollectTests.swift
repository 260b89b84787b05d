import TestSupport

@Suite("Observer errors and bags", .timeLimit(.minutes(10)), .paced)
struct ObserverCollectTests {
    @Test("a listener that asks for it gets a NetworkError, the others any error")
    func typedErrors() async throws {
        let recorder = ObserverRecorder()
        let network = Observer<Int>.emit(error: NetworkError(.unacceptableStatus, "refused", node: "Test"))
        network
            .onError { error in recorder.record("\(type(of: error))") }
            .onError { (error: NetworkError) in recorder.record("\(error.code)") }
            .onError { error in recorder.record("\(error.localizedDescription)") }
        await network.delivered()
        #expect(await recorder.events(0) == ["NetworkError", "unacceptableStatus", "refused"])
    }

    @Test("mapError takes a closure of NetworkError, and leaves errors of other types alone")
    func mapped() async {
        let errors: [(any Error, ObserverTestError)] = [
            (NetworkError(.notFound, "none", node: "Test"), .mapped), (ObserverTestError.source, .source),
        ]
        for (error, expected) in errors {
            let mapped = Observer<Void>.emit(error: error).mapError { (error: NetworkError) in
                error.code == .notFound ? ObserverTestError.mapped : .other
            }
            await #expect(throws: expected) { try await mapped.value }
        }
    }

    @Test("a bag cancels unended calls when it is released, and forgets ended ones")
    func bag() async {
        let recorder = ObserverRecorder()
        var bag: CancelBag? = CancelBag()
        let (first, second, third) = (Context<Int>(), Context<String>(), Context<Int>())
        if let bag {
            first.onCompleted { recorder.record("\($0)") }.store(in: bag)
            second.map { $0.count }.onCanceled { recorder.record("canceled") }.store(in: bag)
            third.store(in: bag)
            third.emit(data: 1)
            #expect(bag.count == 3)
            first.complete(data: 1)
            await first.delivered()
            #expect(bag.count == 2)
            third.finish()
            while bag.count > 1 { await Task.yield() }
        }
        bag = nil
        #expect(await recorder.events(2).sorted() == ["1", "canceled"])
    }

    @Test("a manually emptied bag can be used again")
    func emptied() async {
        let bag = CancelBag()
        let (first, second) = (Context<Int>(), Context<Int>())
        first.store(in: bag)
        bag.cancel()
        #expect(await ObserverRecorder().listen(to: first).allEvents() == ["canceled", "defer"])
        second.store(in: bag)
        second.complete(data: 2)
        #expect(await ObserverRecorder().listen(to: second).allEvents() == ["2", "defer"])
        #expect(bag.count == 0)
    }

    /// Where the cancellation of a call comes from.
    enum Canceller: CaseIterable, Sendable {
        case call, bag, endOfBag
    }

    @Test(
        "onCompleted never follows a cancellation, even if the outcome waits for the main actor",
        arguments: Canceller.allCases
    )
    @MainActor
    func cancelledWhileOutcomeWaits(canceller: Canceller) async {
        let recorder = ObserverRecorder()
        var bag: CancelBag? = CancelBag()
        let context = Context<Int>()
        let derived = context.dispatchOn(.main).map { $0 * 10 }
        if let bag {
            context.store(in: bag)
            derived.store(in: bag)
        }
        recorder.listen(to: context)
        // The main actor is ours until the first await: no delivery can begin.
        context.complete(data: 1)
        switch canceller {
        case .call: context.cancel()
        case .bag: bag?.cancel()
        case .endOfBag: bag = nil
        }
        #expect(await recorder.allEvents() == ["canceled", "defer"])
        withExtendedLifetime((bag, derived)) {}
    }

    @Test("a call leaves its bag before its defer, and stays in it until all listeners were called")
    @MainActor
    func leavesBag() async {
        let recorder = ObserverRecorder()
        let bag = CancelBag()
        let context = Context<Int>()
        context.store(in: bag)
        context.onCompleted { _ in recorder.record("\(bag.count) in onCompleted") }
        context.defer { recorder.record("\(bag.count) in defer") }
        context.emit(data: 1)
        #expect(await recorder.events(2) == ["1 in onCompleted", "1 in defer"])
        context.complete(data: 2)
        #expect(await recorder.events(4).suffix(2) == ["1 in onCompleted", "0 in defer"])
    }

    @Test("a call leaves its bag however it ends, even if its listeners were forgotten", arguments: [0, 1, 2, 3, 4])
    func leavesBagAtEachEnd(end: Int) async {
        let bag = CancelBag()
        let context = Context<Int>()
        context.onCompleted { _ in }.store(in: bag)
        switch end {
        case 0: context.complete(data: 1)
        case 1: context.complete(error: ObserverTestError.source)
        case 2: context.emit(data: 1).finish()
        case 3: context.cancel()
        default: context.unsubscribe().complete(data: 1)
        }
        while bag.count > 0 { await Task.yield() }
    }

    @Test("two sources that report at the same time are joined one after another")
    func concurrentSources() async throws {
        let (left, right) = (Context<Int>(), Context<Int>())
        let pairs = Locked<[(Int, Int)]>([])
        let both = left.combine(right)
        both.onCompleted { (pair: (Int, Int)) in pairs.withLock { $0.append(pair) } }
        await withTaskGroup { group in
            for source in [left, right] {
                group.addTask { for number in 0..<3000 { source.emit(data: number) } }
            }
        }
        left.complete(data: 3000)
        right.complete(data: 3000)
        while pairs.withLock({ $0.last.map { $0 != (3000, 3000) } ?? true }) { await Task.yield() }
        let seen = pairs.withLock { $0 }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.0 <= $1.0 && $0.1 <= $1.1 })
    }
}
