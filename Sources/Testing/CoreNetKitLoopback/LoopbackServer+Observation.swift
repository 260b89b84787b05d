import CoreNetKitHTTP
import CoreNetKitPeer

/// The server's records, and waiting for them without sleeping.
///
/// Every wait ends with `CancellationError` when its task is cancelled and with ``LoopbackError`` when the server stops.
extension LoopbackServer {
    /// The recorded requests, in the order in which they were read completely.
    public var requests: [LoopbackRequest] { journal.requests }

    /// The statistics so far.
    public var counts: LoopbackCounts { journal.read { $0.counts } }

    /// Returns when the statistics fulfil the condition.
    ///
    /// - Parameter condition: Called on several threads with the current statistics.
    /// - Throws: `CancellationError`, ``LoopbackError``.
    public func wait(until condition: @escaping @Sendable (LoopbackCounts) -> Bool) async throws {
        try await journal.wait { condition($0.counts) }
    }

    /// Waits until at least this many requests have been received.
    ///
    /// - Parameter count: The number of requests since the start.
    /// - Returns: The recorded requests.
    /// - Throws: `CancellationError`, ``LoopbackError``.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [LoopbackRequest] {
        try await wait { $0.requests >= count }
        return requests
    }

    /// Waits for the request at a position, from 0.
    ///
    /// - Parameter index: The position among all requests since the start.
    /// - Returns: The request.
    /// - Throws: ``LoopbackError`` when the recording did not keep it, or the server stops; `CancellationError`.
    public func request(at index: Int) async throws -> LoopbackRequest {
        try await wait { $0.requests > index }
        guard let request = requests.first(where: { $0.index == index }) else {
            throw LoopbackError("request \(index) was not kept; keep more requests")
        }
        return request
    }

    /// Waits until a connection is closed on the server's side too.
    ///
    /// - Parameter connection: The number of the connection, ``LoopbackRequest/connection``.
    /// - Throws: `CancellationError`, ``LoopbackError``.
    public func waitForDisconnect(of connection: Int) async throws {
        try await journal.wait { $0.counts.connections > connection && !$0.open.contains(connection) }
    }

    /// Closes every connection that is open now; the server continues listening.
    public func closeConnections() { commands.post(.closeConnections) }

    /// Lets every dripping response send its next bytes.
    public func tick() { commands.post(.tick) }
}

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
