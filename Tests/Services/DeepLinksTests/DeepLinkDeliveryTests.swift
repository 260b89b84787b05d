import DeepLinks
import DeepLinksDocumentNames
import Synchronization
import TestSupport

@Suite("Delivery of deep links", .timeLimit(.minutes(10)), .paced)
struct DeepLinkDeliveryTests {
    @Test("next() gets a waiting link, and one that comes later")
    func next() async throws {
        let bench = Bench(isReady: true)
        bench.open("messages/1")
        #expect(try await bench.center.next().value == .chat("1"))
        #expect(bench.center.state == .delivered(.chat("1")))
        let later = bench.center.next()
        bench.open("messages/2")
        #expect(try await later.value == .chat("2"))
    }

    @Test("waiting callers get one link each, in the order they asked")
    func order() async throws {
        let bench = Bench(isReady: true)
        let first = bench.center.next()
        let second = bench.center.next()
        bench.open("messages/1")
        bench.open("messages/2")
        #expect(try await second.value == .chat("2"))
        #expect(try await first.value == .chat("1"))
        #expect(bench.rejections.values.isEmpty)
    }

    @Test("a cancelled observer leaves the link to the next caller")
    func cancel() async throws {
        let bench = Bench()
        let first = bench.center.next()
        bench.open("messages/1")
        first.cancel()
        bench.center.setReady(true)
        #expect(try await bench.center.next().value == .chat("1"))
    }

    @Test("an observer is cancelled when the last waiting link goes without delivery", arguments: 0..<4)
    func canceled(way: Int) async throws {
        let bench = Bench(timeToLive: .seconds(600))
        bench.center.setProfile("Host")
        bench.center.setAuthenticated(true)
        bench.center.receive(.shortcut(type: "new"))
        let recorder = ObserverRecorder().listen(to: bench.center.next().dispatchOn(.global()))
        switch way {
        case 0: bench.center.discard()
        case 1: bench.center.setProfile("Guest")
        case 2: bench.center.setAuthenticated(false)
        default:
            bench.time.advance(by: .milliseconds(600_000))
            bench.center.setReady(true)
        }
        #expect(await recorder.allEvents() == ["canceled", "defer"])
    }

    @Test("an observer that got its link is silent when it is cancelled later", arguments: [true, false])
    func endsOnce(isArrival: Bool) async {
        let bench = Bench(isReady: true)
        bench.open("messages/1")
        let events =
            if isArrival {
                await ObserverRecorder.events(afterEndOf: bench.center.nextArrival())
            } else {
                await ObserverRecorder.events(afterEndOf: bench.center.next())
            }
        #expect(events.count == 2 && events.last == "defer" && events.first != "canceled")
    }

    @Test("an observer continues when a newer link replaced the waiting or expired one")
    func replaced() async throws {
        let bench = Bench(timeToLive: .seconds(600))
        let observer = bench.center.next()
        bench.open("messages/1")
        bench.open("messages/2")
        bench.time.advance(by: .milliseconds(600_000))
        bench.open("messages/3")
        bench.center.setReady(true)
        #expect(try await observer.value == .chat("3"))
        #expect(bench.rejections.values == [.replaced, .expired])
    }

    @Test("an observer is cancelled when its center is released")
    func abandoned() async {
        let observer = Bench().center.next()
        await #expect(throws: CancellationError.self) { try await observer.value }
    }

    @Test("links come one after another, and ending the loop leaves the rest")
    func links() async {
        let bench = Bench(policy: .queue(max: 10), isReady: true)
        for id in 1...3 { bench.open("messages/\(id)") }
        let seen = await bench.center.links.prefix(2).reduce(into: []) { $0.append($1) }
        #expect(seen == [.chat("1"), .chat("2")])
        #expect(bench.center.state == .pending([.chat("3")]))
    }

    @Test("a loop survives a discard, and ends with its task")
    func loop() async {
        let bench = Bench()
        let (started, start) = AsyncStream.makeStream(of: DeeplinkType.self)
        let task = Task {
            for await link in bench.center.links { start.yield(link) }
            return true
        }
        bench.center.setReady(true)
        var seen = started.makeAsyncIterator()
        bench.open("messages/1")
        #expect(await seen.next() == .chat("1"))
        bench.center.discard()
        bench.open("messages/2")
        #expect(await seen.next() == .chat("2"))
        task.cancel()
        #expect(await task.value)
        bench.open("messages/3")
        #expect(bench.center.state == .pending([.chat("3")]))
    }

    @Test("a loop whose task is cancelled when it begins to wait ends")
    func cancelledMidway() async {
        let clock = CancellingClock()
        let center = DeepLinkCenter(parser: tutorial, clock: clock)
        await Task {
            clock.cancelsReader.store(true, ordering: .sequentiallyConsistent)
            for await _ in center.links {}
        }.value
        clock.cancelsReader.store(false, ordering: .sequentiallyConsistent)
        center.setReady(true)
        center.receive(.text("deeplinkTutorial://activity"))
        var opened: [DeeplinkType] = []
        center.deliver { opened.append($0) }
        #expect(opened == [.activity])
    }

    @Test("a delivery is forgotten when another link comes, and when all are discarded")
    func forgotten() async throws {
        let bench = Bench(timeToLive: .seconds(600), isReady: true)
        bench.open("messages/1")
        #expect(try await bench.center.next().value == .chat("1"))
        #expect(bench.center.state == .delivered(.chat("1")))
        bench.center.discard()
        #expect(bench.center.state == .idle)

        bench.open("messages/2")
        #expect(try await bench.center.next().value == .chat("2"))
        bench.open("messages/3")
        bench.time.advance(by: .milliseconds(600_000))
        #expect(bench.center.state == .idle)
    }

    @Test("an observer and an app that asks again in defer get every link once")
    func again() async {
        let bench = Bench(policy: .queue(max: 100))
        let (links, continuation) = AsyncStream.makeStream(of: DeeplinkType.self)
        @Sendable func listen() {
            bench.center.next().dispatchOn(.global()).onCompleted { continuation.yield($0) }.defer { listen() }
        }
        listen()
        bench.center.setReady(true)
        for id in 0..<50 { bench.open("messages/\(id)") }
        let seen = await links.prefix(50).reduce(into: []) { $0.append($1) }
        #expect(seen == (0..<50).map { .chat("\($0)") })
    }

    @Test("from many threads every link is delivered exactly once, whatever asks, leaves or switches")
    func concurrent() async {
        let bench = Bench(policy: .queue(max: 10_000))
        let (links, continuation) = AsyncStream.makeStream(of: DeeplinkType.self)
        let loops = (0..<2).map { _ in Task { for await link in bench.center.links { continuation.yield(link) } } }
        let observers = Task {
            while let link = try? await bench.center.next().value { continuation.yield(link) }
        }
        await withTaskGroup { group in
            for lane in 0..<8 {
                group.addTask {
                    for id in 0..<100 {
                        bench.open("messages/\(lane)-\(id)")
                        bench.center.setReady(id % 3 != 0)
                        bench.center.deliver { continuation.yield($0) }
                        let leaving = Task { for await link in bench.center.links { continuation.yield(link) } }
                        leaving.cancel()
                        await leaving.value
                    }
                }
            }
        }
        bench.center.setReady(true)
        var seen = await links.prefix(800).reduce(into: []) { $0.append($1) }
        loops.forEach { $0.cancel() }
        bench.center.discard()
        for loop in loops { await loop.value }
        observers.cancel()
        await observers.value
        continuation.finish()
        for await link in links { seen.append(link) }
        #expect(Set(seen).count == 800)
        #expect(seen.count == 800)
        #expect(bench.rejections.values.isEmpty)
    }
}

/// A clock that cancels the task that reads it: in the middle of a call.
private final class CancellingClock: Clock, Sendable {
    let cancelsReader = Atomic(false)

    var now: ManualClock.Instant {
        if cancelsReader.load(ordering: .sequentiallyConsistent) { withUnsafeCurrentTask { $0?.cancel() } }
        return ManualClock.Instant()
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {}
}
