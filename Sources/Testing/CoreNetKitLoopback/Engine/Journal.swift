import CoreNetKitHTTP
import CoreNetKitPeer

/// What the server has recorded, and the tasks that wait for it.
final class Journal: Sendable {
    struct State: Sendable {
        var counts = LoopbackCounts()
        var open: Set<Int> = []
        var requests: [LoopbackRequest] = []
        var isStopped = false
    }

    private let recording: LoopbackRecording
    private let state = Watched(State())

    init(recording: LoopbackRecording) { self.recording = recording }

    func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.read(body) }

    func update(_ change: (inout State) -> Void) { state.update(change) }

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
        let kept = state.read(\.requests)
        if case .last(let limit) = recording { return kept.suffix(limit) }
        return kept
    }

    func stop() {
        update { state in
            state.isStopped = true
            state.counts.serverCloses += state.open.count
            state.counts.open = 0
            state.open = []
        }
    }

    func wait(until condition: @escaping @Sendable (State) -> Bool) async throws {
        try await state.wait(for: { state in
            condition(state) ? .success(()) : state.isStopped ? .failure(LoopbackError.stopped) : nil
        })
    }
}
