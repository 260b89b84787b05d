import Dispatch
import TestSupport

@Suite("Observers and async", .timeLimit(.minutes(10)), .paced)
struct ObserverAsyncTests {
    enum Ending: CaseIterable, Sendable {
        case returns, fails, isCancelled, throwsCancellation
    }

    /// Waits until its task is cancelled.
    private static func forever() async throws -> Int {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for await number in stream { return number }
        withExtendedLifetime(continuation) {}
        throw CancellationError()
    }

    @Test("run continues after its observer is released")
    func unkept() async {
        let recorder = ObserverRecorder()
        do { Observer.run { 1 }.onCompleted { recorder.record("\($0)") } }
        #expect(await recorder.events(1) == ["1"])
    }

    @Test("run reports the result of its work once, and a later cancel is silent", arguments: Ending.allCases)
    func run(ending: Ending) async {
        let observer = Observer.run {
            switch ending {
            case .returns: return 1
            case .fails: throw ObserverTestError.source
            case .isCancelled: return try await Self.forever()
            case .throwsCancellation: throw CancellationError()
            }
        }
        let recorder = ObserverRecorder().listen(to: observer)
        if ending == .isCancelled { observer.cancel() }
        let expected =
            switch ending {
            case .returns: ["1", "defer"]
            case .fails: ["source", "defer"]
            case .isCancelled, .throwsCancellation: ["canceled", "defer"]
            }
        #expect(await recorder.allEvents() == expected)
        observer.cancel()
        #expect(await recorder.allEvents() == expected)
    }

    @MainActor
    final class Service {
        var count = 0

        func load() -> Observer<Int> {
            .run {
                MainActor.assertIsolated()
                self.count += 1
                return self.count
            }
        }

        func next(_ number: Int) async throws -> Int {
            await Task.yield()
            MainActor.assertIsolated()
            return number + 1
        }
    }

    @Test("closures of run and of operators stay on the actor where they were written")
    @MainActor
    func isolation() async throws {
        let service = Service()
        let observer = service.load()
            .map { try await service.next($0) }
            .map { [$0, try await service.next($0)] }
            .filter { number in try await service.next(number) > 3 }
            .chain { numbers in Observer.emit(data: try await service.next(numbers[0])) }
        let (numbers, next) = try await observer.value
        #expect(numbers == [3] && next == 4)
        let failed = Observer<Int>.emit(error: ObserverTestError.source)
            .mapError { _ in
                await Task.yield()
                MainActor.assertIsolated()
                return ObserverTestError.mapped
            }
            .flatMapError { _ -> Observer<Int> in .emit(data: try await service.next(7)) }
        #expect(try await failed.value == 8)
    }

    enum Operator: CaseIterable, Sendable {
        case map, mapToObserver, chain, filter, mapError, mapErrorToObserver, catchError
    }

    private func waiting(_ kind: Operator, on source: Context<[Int]>, _ started: ObserverRecorder)
        -> any CancelableContext
    {
        @Sendable func wait() async throws -> Int {
            started.record("started")
            do {
                return try await Self.forever()
            } catch {
                started.record("ended")
                throw error
            }
        }
        return switch kind {
        case .map: source.map { _ in try await wait() }
        case .mapToObserver: source.flatMap { _ -> Observer<Int> in .emit(data: try await wait()) }
        case .chain: source.chain { _ -> Observer<Int> in .emit(data: try await wait()) }
        case .filter: source.filter { _ in try await wait() > 0 }
        case .mapError:
            source.mapError { error in
                _ = try? await wait()
                return error
            }
        case .mapErrorToObserver: source.flatMapError { _ -> Observer<[Int]> in .emit(data: [try await wait()]) }
        case .catchError: source.catchError { (_: ObserverTestError) in _ = try? await wait() }
        }
    }

    @Test("cancelling an observer cancels the closure that it waits for", arguments: Operator.allCases, [true, false])
    func cancelClosure(kind: Operator, detaches: Bool) async {
        let recorder = ObserverRecorder()
        let source = Context<[Int]>(deliverOn: DispatchQueue(label: "closures"))
        let derived = waiting(kind, on: source, recorder)
        if [.mapError, .mapErrorToObserver, .catchError].contains(kind) {
            source.emit(error: ObserverTestError.source)
        } else {
            source.emit(data: [1])
        }
        #expect(await recorder.events(1) == ["started"])
        if detaches {
            (derived as? Observer<Int>)?.detach()
            (derived as? Observer<[Int]>)?.detach()
            (derived as? Observer<([Int], Int)>)?.detach()
        } else {
            derived.cancel()
        }
        #expect(await recorder.events(2) == ["started", "ended"])
    }

    @Test("delivered waits for the existing listeners, not for the queue's other work")
    @MainActor
    func delivered() async {
        let recorder = ObserverRecorder()
        let context = Context<Int>()
        context.defer { recorder.record("defer") }
        context.onCompleted { recorder.record("\($0)") }
        context.dispatchOn(DispatchQueue(label: "else")).onCompleted { _ in }
        Task { context.complete(data: 1) }
        await context.delivered()
        #expect(await recorder.events(0) == ["1", "defer"])
        await context.delivered()
        let canceled = Context<Int>()
        canceled.onCanceled { recorder.record("canceled") }
        canceled.cancel()
        await canceled.delivered()
        #expect(await recorder.events(0).last == "canceled")
    }

    @Test("a cancelled task does not wait for a delivery, and the call continues")
    func cancelledWait() async throws {
        let context = Context<Int>()
        let waiting = Task { await context.delivered() }
        waiting.cancel()
        await waiting.value
        context.complete(data: 1)
        #expect(try await context.value == 1)
    }
}
