import CoreNetKitSystem

/// A queue that admits one caller at a time, in the order of arrival; a cancelled caller leaves it at once.
package final class SerialQueue: Sendable {
    private struct State {
        var isTaken = false
        var lastID = 0
        var queue = WaitQueue<Int>()
        var continuations: [Int: CheckedContinuation<Void, any Error>] = [:]
        /// Callers that were cancelled before they entered the queue.
        var cancelledEarly: Set<Int> = []
    }

    private let state = Locked(State())

    package init() {}

    /// Runs a step when all earlier ones have ended.
    package func run<Result: Sendable>(_ step: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { admitNext() }
        try Task.checkCancellation()
        return try await step()
    }

    private func enter() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isFirst: Bool? = state.withLock { state in
                    if state.cancelledEarly.remove(id) != nil { return nil }
                    if state.isTaken {
                        state.queue.append(id)
                        state.continuations[id] = continuation
                        return false
                    }
                    state.isTaken = true
                    return true
                }
                switch isFirst {
                case true?: continuation.resume()
                case false?: break
                case nil: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            cancel(id)
        }
        state.withLock { state in _ = state.cancelledEarly.remove(id) }
    }

    private func cancel(_ id: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if state.queue.remove(id) { return state.continuations.removeValue(forKey: id) }
            state.cancelledEarly.insert(id)
            return nil
        }
        waiting?.resume(throwing: CancellationError())
    }

    private func admitNext() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard let next = state.queue.popFirst() else {
                state.isTaken = false
                return nil
            }
            return state.continuations.removeValue(forKey: next)
        }
        next?.resume()
    }
}
