package enum ObserverTestError: Error, Equatable {
    case source, mapped, closure, other
}

/// Writes down the events of an observer, and knows when none can come any more: when its closures were released.
package final class ObserverRecorder: Sendable {
    /// What the closures hold; its end resumes whoever waits for the last event.
    private final class Token: Sendable {
        let released: @Sendable () -> Void

        init(_ released: @escaping @Sendable () -> Void) { self.released = released }

        deinit { released() }
    }

    fileprivate struct State {
        var events: [String] = []
        var isReleased = false
        var isOutOfTime = false
        var waiting: [(count: Int?, continuation: CheckedContinuation<[String], Never>)] = []
    }

    private let state = Locked(State())

    package init() {}

    package func record(_ event: String) { update { $0.events.append(event) } }

    /// Subscribes all four listeners, `defer` last.
    @discardableResult
    package func listen<Model>(to observer: Observer<Model>) -> Self {
        let token = Token { [self] in update { $0.isReleased = true } }
        observer
            .onCompleted { [self] model in withExtendedLifetime(token) { record("\(model)") } }
            .onError { [self] error in withExtendedLifetime(token) { record("\(error)") } }
            .onCanceled { [self] in withExtendedLifetime(token) { record("canceled") } }
            .defer { [self] in withExtendedLifetime(token) { record("defer") } }
        return self
    }

    /// The events of an observer that is cancelled after it has ended.
    package static func events<Model>(afterEndOf observer: Observer<Model>) async -> [String] {
        let recorder = ObserverRecorder().listen(to: observer.dispatchOn(.global()))
        _ = await recorder.events(2)
        observer.cancel()
        return await recorder.allEvents()
    }

    /// Waits for the first `count` events.
    package func events(_ count: Int) async -> [String] { await wait(count) }

    /// Waits until no event can come any more.
    package func allEvents() async -> [String] { await wait(nil) }

    /// A test that is out of time is told what came so far, so that it fails instead of hanging.
    private func wait(_ count: Int?) async -> [String] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in update { $0.waiting.append((count, continuation)) } }
        } onCancel: {
            update { $0.isOutOfTime = true }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let (events, due) = state.withLock { state in
            change(&state)
            let due = state.waiting.filter { state.isDue($0.count) }.map(\.continuation)
            state.waiting.removeAll { [state] in state.isDue($0.count) }
            return (state.events, due)
        }
        for continuation in due { continuation.resume(returning: events) }
    }
}

extension ObserverRecorder.State {
    fileprivate func isDue(_ count: Int?) -> Bool {
        isOutOfTime || (count.map { events.count >= $0 } ?? isReleased)
    }
}
