import CoreNetKitSystem

/// Wakes the one task that waits for something to happen; a ring before the wait is not lost.
final class Bell: Sendable {
    /// What it was rung for: single queues, or all of them.
    struct Rung: Sendable {
        var isForAll = false
        var queues = WaitingLine<String>()
    }

    private struct State: Sendable {
        var isRung = false
        var rung = Rung()
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Signals a change that may concern any queue.
    func ring() { ring { $0 = Rung(isForAll: true) } }

    /// Signals a change of one queue.
    func ring(for queue: String) { ring { if !$0.isForAll { $0.queues.append(queue) } } }

    /// Whether it was rung since the last ``takeRung()``.
    var isRung: Bool { state.withLock { $0.isRung || $0.rung.isForAll || !$0.rung.queues.isEmpty } }

    /// Returns and clears what it was rung for.
    func takeRung() -> Rung {
        state.withLock { state in
            defer { (state.isRung, state.rung) = (false, Rung()) }
            return state.rung
        }
    }

    private func ring(_ note: (inout Rung) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            note(&state.rung)
            guard let waiter = state.waiter.take() else {
                state.isRung = true
                return nil
            }
            return waiter
        }
        waiter?.resume()
    }

    /// Returns at the next ring, and at once when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRung = state.withLock { state in
                    if state.isRung || Task.isCancelled {
                        state.isRung = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isRung { continuation.resume() }
            }
        } onCancel: {
            ring { _ in }
        }
    }

    /// Returns at the next ring, at a time of the clock, or when the task is cancelled.
    func wait(until time: Duration?, on clock: OutboxTime) async {
        guard let time else { return await wait() }
        let timer = Task { [self] in
            if (try? await clock.sleep(time)) != nil { ring { _ in } }
        }
        await wait()
        timer.cancel()
    }
}
