import CoreNetKitSystem

/// A queue that admits one caller at a time, in the order of arrival; a cancelled caller leaves it at once.
package final class SerialQueue: Sendable {
    private struct State {
        var isTaken = false
        var queue = WaitQueue<Waiter<Void>>()
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
        let caller = Waiter<Void>()
        let isFirst = state.withLock { state in
            if state.isTaken { state.queue.append(caller) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isFirst { return }
        do {
            try await caller.value()
        } catch {
            state.withLock { _ = $0.queue.remove(caller) }
            throw error
        }
    }

    private func admitNext() {
        // A caller that was cancelled lets the next one in.
        while let next = next(), !next.resume(.success(())) {}
    }

    private func next() -> Waiter<Void>? {
        state.withLock { state in
            let next = state.queue.popFirst()
            state.isTaken = next != nil
            return next
        }
    }
}
