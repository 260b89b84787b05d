import TestSupport

/// A place where tasks wait until the test lets them go on, one by one or for good.
final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var arrivals = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    /// Waits at the gate; a cancelled task does not.
    func pass() async throws {
        let id = state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (result, watchers) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    let result: Result<Void, any Error>?
                    if Task.isCancelled {
                        result = .failure(CancellationError())
                    } else if state.isOpen {
                        result = .success(())
                    } else {
                        state.waiting.append((id, continuation))
                        result = nil
                    }
                    let ready = state.watchers.filter { $0.count <= state.arrivals }
                    state.watchers.removeAll { $0.count <= state.arrivals }
                    return (result, ready.map(\.continuation))
                }
                if let result { continuation.resume(with: result) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Waits until this many tasks have come, including those that have gone on.
    func arrived(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets all tasks go on, now and later.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for (_, continuation) in waiting { continuation.resume() }
    }
}
