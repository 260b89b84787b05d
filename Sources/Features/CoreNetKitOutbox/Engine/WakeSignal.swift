import CoreNetKitSystem

/// Wakes the one task that waits for something to happen; a signal before the wait is not lost.
final class WakeSignal: Sendable {
    private struct State: Sendable {
        var isRaised = false
        var isForAll = false
        var queues = WaitQueue<String>()
        var waiter: Waiter<Void>?
    }

    private let state = Locked(State())

    /// Signals a change that may concern any queue.
    func raise() { raise { ($0.isForAll, $0.queues) = (true, WaitQueue()) } }

    func raise(for queue: String) { raise { if !$0.isForAll { $0.queues.append(queue) } } }

    var isRaised: Bool { state.withLock { $0.isRaised || $0.isForAll || !$0.queues.isEmpty } }

    /// Takes the signalled queues: single ones, or all.
    func takePending() -> (queues: [String], isForAll: Bool) {
        state.withLock { state in
            defer { (state.isRaised, state.isForAll, state.queues) = (false, false, WaitQueue()) }
            return (state.queues.elements, state.isForAll)
        }
    }

    private func raise(_ note: (inout State) -> Void) {
        let waiter = state.withLock { state in
            note(&state)
            if state.waiter == nil { state.isRaised = true }
            return state.waiter.take()
        }
        waiter?.resume(.success(()))
    }

    /// Returns at the next signal, and at once when the task is cancelled.
    func wait() async {
        let waiter = Waiter<Void>()
        let isRaised = state.withLock { state in
            defer { state.isRaised = false }
            if !state.isRaised { state.waiter = waiter }
            return state.isRaised
        }
        if isRaised { return }
        try? await waiter.value()
        // After a cancellation the next signal is for the next wait.
        state.withLock { $0.waiter = nil }
    }

    /// Returns at the next signal, at a time of the clock, or when the task is cancelled.
    func wait(until time: Duration?, on clock: OutboxTime) async {
        guard let time else { return await wait() }
        let timer = Task { [self] in
            if (try? await clock.sleep(time)) != nil { raise { _ in } }
        }
        await wait()
        timer.cancel()
    }
}
