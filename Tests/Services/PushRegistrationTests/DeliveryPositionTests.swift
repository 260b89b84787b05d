import PushRegistration
import TestSupport

@Suite("The order in which results are told", .timeLimit(.minutes(10)), .paced)
struct DeliveryPositionTests {
    private let last = Locked<DeliveryPosition?>(nil)

    private let queue = DispatchQueue(label: "told")
    private let told: AsyncStream<Int>
    private let tell: AsyncStream<Int>.Continuation

    init() { (told, tell) = AsyncStream.makeStream() }

    private func takeTurn() { last.withLock { DeliveryPosition.current?.follow(&$0) } }

    @Test("is the order of the turns: the second is told second, though it ended first")
    func order() async throws {
        let (firstHasTurn, secondEnds, goOn) = (Signal(), Signal(), Signal())
        let first: Observer<Void> = .work {
            takeTurn()
            firstHasTurn.signal()
            await goOn.wait()
        }
        first.dispatchOn(queue).onCompleted { tell.yield(1) }
        let second: Observer<Void> = .work {
            await firstHasTurn.wait()
            takeTurn()
            secondEnds.signal()
        }
        second.dispatchOn(queue).onCompleted { tell.yield(2) }
        await secondEnds.wait()
        // Whoever does not wait for the first has told its result by then.
        for _ in 0..<1000 { await Task.yield() }
        goOn.signal()
        #expect(await told.prefix(2).reduce(into: []) { $0.append($1) } == [1, 2])
    }

    @Test("holds for errors, and a later turn of the same call changes nothing")
    func laterTurns() async throws {
        struct Failure: Error {}
        let (firstHasTurn, secondHasTurn) = (Signal(), Signal())
        let first: Observer<Void> = .work {
            takeTurn()
            firstHasTurn.signal()
            await secondHasTurn.wait()
            takeTurn()
            throw Failure()
        }
        first.dispatchOn(queue).onError { _ in tell.yield(1) }
        let second: Observer<Void> = .work {
            await firstHasTurn.wait()
            takeTurn()
            secondHasTurn.signal()
        }
        second.dispatchOn(queue).onCompleted { tell.yield(2) }
        #expect(await told.prefix(2).reduce(into: []) { $0.append($1) } == [1, 2])
    }

    @Test("does not hold a call that is cancelled, nor one that took no turn")
    func cancelled() async throws {
        let (hasTurn, secondHasTurn, goOn) = (Signal(), Signal(), Signal())
        let first: Observer<Void> = .work {
            takeTurn()
            hasTurn.signal()
            await goOn.wait()
        }
        await hasTurn.wait()
        let ended = Signal()
        let second: Observer<Void> = .work {
            defer { ended.signal() }
            takeTurn()
            secondHasTurn.signal()
        }
        await secondHasTurn.wait()
        second.cancel()
        await ended.wait()
        let without: Observer<Int> = .work { 3 }
        #expect(try await without.value == 3)
        goOn.signal()
        try await first.value
    }
}
