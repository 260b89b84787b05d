import CoreNetKitSystem

/// Wakes the one task that waits for something to happen; a ring before the wait is not lost.
final class Bell: Sendable {
    private struct State: Sendable {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    func ring() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
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
            ring()
        }
    }

    /// Returns at the next ring, at a time of the clock, or when the task is cancelled.
    func wait(until time: Duration?, on clock: OutboxTime) async {
        guard let time else { return await wait() }
        let timer = Task { [self] in
            if (try? await clock.sleep(time)) != nil { ring() }
        }
        await wait()
        timer.cancel()
    }
}
