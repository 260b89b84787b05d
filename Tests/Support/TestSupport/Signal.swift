/// Counts events and lets a test wait for a number of them.
package final class Signal: Sendable {
    private struct State {
        var count = 0
        var isOutOfTime = false
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    package init() {}

    /// How many there were.
    package var count: Int { state.withLock(\.count) }

    package func signal() {
        let due = state.withLock { state in
            state.count += 1
            let due = state.waiting.filter { $0.count <= state.count }
            state.waiting.removeAll { $0.count <= state.count }
            return due.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Waits for so many events in all; a test that is out of time goes on, and fails on what it finds.
    package func wait(_ count: Int = 1) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    let isThere = state.count >= count || state.isOutOfTime
                    if !isThere { state.waiting.append((count, continuation)) }
                    return isThere
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            let all = state.withLock { state in
                state.isOutOfTime = true
                defer { state.waiting = [] }
                return state.waiting.map(\.continuation)
            }
            for continuation in all { continuation.resume() }
        }
    }
}
