import CoreNetKitHTTP
import CoreNetKitSystem

/// What the server has recorded, and the tasks that wait for it.
final class Journal: Sendable {
    struct State: Sendable {
        var counts = LoopbackCounts()
        var open: Set<Int> = []
        var requests: [LoopbackRequest] = []
        var isStopped = false
        fileprivate var nextKey = 0
        fileprivate var waiters: [Int: Waiter] = [:]
    }

    fileprivate struct Waiter: Sendable {
        let condition: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let recording: LoopbackRecording
    private let state = Locked(State())

    init(recording: LoopbackRecording) { self.recording = recording }

    func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

    func update(_ change: (inout State) -> Void) {
        let reached: [Waiter] = state.withLock { state in
            change(&state)
            return takeReached(&state)
        }
        for waiter in reached { waiter.continuation.resume() }
    }

    /// Numbers a request, and keeps it according to the recording mode.
    func record(_ request: inout LoopbackRequest, newHeads: Int) {
        update { state in
            request.index = state.counts.requests
            state.counts.requests += 1
            state.counts.heads += newHeads
            switch recording {
            case .off: break
            case .all: state.requests.append(request)
            case .last(let limit):
                state.requests.append(request)
                if state.requests.count > 2 * limit + 16 {
                    state.requests.removeFirst(state.requests.count - limit)
                }
            }
        }
    }

    var requests: [LoopbackRequest] {
        let kept = state.withLock { $0.requests }
        if case .last(let limit) = recording { return kept.suffix(limit) }
        return kept
    }

    func stop() {
        let (reached, waiters) = state.withLock { state in
            state.isStopped = true
            state.counts.serverCloses += state.open.count
            state.counts.open = 0
            state.open = []
            let reached = takeReached(&state)
            defer { state.waiters = [:] }
            return (reached, Array(state.waiters.values))
        }
        for waiter in reached { waiter.continuation.resume() }
        for waiter in waiters { waiter.continuation.resume(throwing: LoopbackError.stopped) }
    }

    func wait(until condition: @escaping @Sendable (State) -> Bool) async throws {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isCancelled = Task.isCancelled
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if condition(state) { return .success(()) }
                    if isCancelled { return .failure(CancellationError()) }
                    if state.isStopped { return .failure(LoopbackError.stopped) }
                    state.waiters[key] = Waiter(condition: condition, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func takeReached(_ state: inout State) -> [Waiter] {
        guard !state.waiters.isEmpty else { return [] }
        var reached: [Waiter] = []
        for (key, waiter) in state.waiters where waiter.condition(state) {
            reached.append(waiter)
            state.waiters[key] = nil
        }
        return reached
    }
}
