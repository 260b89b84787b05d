import Guarding

/// Lets one caller in at a time, in the order of arrival; a cancelled caller leaves the queue at once.
final class Turns: Sendable {
    private struct Queue {
        var isTaken = false
        var lastID = 0
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        /// Callers that were cancelled before they got into the queue.
        var gone: Set<Int> = []
    }

    private let queue = Guarded(Queue())

    /// Runs a step when all earlier ones have ended.
    func run<Result: Sendable>(_ step: () async throws -> Result) async throws -> Result {
        try await take()
        defer { give() }
        try Task.checkCancellation()
        return try await step()
    }

    private func take() async throws {
        let id = queue.withLock { queue in
            queue.lastID += 1
            return queue.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isFirst: Bool? = queue.withLock { queue in
                    if queue.gone.remove(id) != nil { return nil }
                    if queue.isTaken {
                        queue.waiting.append((id, continuation))
                        return false
                    }
                    queue.isTaken = true
                    return true
                }
                switch isFirst {
                case true?: continuation.resume()
                case false?: break
                case nil: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            leave(id)
        }
        queue.withLock { queue in _ = queue.gone.remove(id) }
    }

    private func leave(_ id: Int) {
        let waiting = queue.withLock { queue -> CheckedContinuation<Void, any Error>? in
            if let place = queue.waiting.firstIndex(where: { $0.id == id }) {
                return queue.waiting.remove(at: place).continuation
            }
            queue.gone.insert(id)
            return nil
        }
        waiting?.resume(throwing: CancellationError())
    }

    private func give() {
        let next = queue.withLock { queue -> CheckedContinuation<Void, any Error>? in
            if queue.waiting.isEmpty {
                queue.isTaken = false
                return nil
            }
            return queue.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}
