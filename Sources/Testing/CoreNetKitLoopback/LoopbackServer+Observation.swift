import CoreNetKitHTTP
import CoreNetKitPeer

/// The server's records, and waiting for them without sleeping.
///
/// Every wait ends with `CancellationError` when its task is cancelled and with ``LoopbackError`` when the server stops.
extension LoopbackServer {
    /// The recorded requests, in the order in which they were read completely.
    public var requests: [LoopbackRequest] { journal.read(\.requests) }

    /// The statistics so far.
    public var counts: LoopbackCounts { journal.read(\.counts) }

    /// Returns when the statistics fulfil the condition, which is called on several threads.
    ///
    /// - Throws: `CancellationError`; ``LoopbackError`` when the server stops.
    public func wait(until condition: @escaping @Sendable (LoopbackCounts) -> Bool) async throws {
        try await waitForJournal { condition($0.counts) }
    }

    /// Waits until at least this many requests have been received since the start, and returns the recorded ones.
    ///
    /// - Throws: `CancellationError`; ``LoopbackError`` when the server stops.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [LoopbackRequest] {
        try await wait { $0.requests >= count }
        return requests
    }

    /// Waits for the request at a position since the start, from 0.
    ///
    /// - Throws: ``LoopbackError`` when the recording did not keep it, or the server stops; `CancellationError`.
    public func request(at index: Int) async throws -> LoopbackRequest {
        try await wait { $0.requests > index }
        guard let request = requests.first(where: { $0.index == index }) else {
            throw LoopbackError("request \(index) was not kept; keep more requests")
        }
        return request
    }

    /// Waits until the connection with this ``LoopbackRequest/connection`` is closed on the server's side too.
    ///
    /// - Throws: `CancellationError`; ``LoopbackError`` when the server stops.
    public func waitForDisconnect(of connection: Int) async throws {
        try await waitForJournal { $0.counts.connections > connection && !$0.open.contains(connection) }
    }

    private func waitForJournal(_ condition: @escaping @Sendable (Journal) -> Bool) async throws {
        try await journal.wait(for: { journal in
            condition(journal) ? .success(()) : journal.isStopped ? .failure(LoopbackError.stopped) : nil
        })
    }

    /// Closes every connection that is open now; the server continues listening.
    public func closeConnections() { commands.post(.closeConnections) }

    /// Lets every dripping response send its next bytes.
    public func tick() { commands.post(.tick) }
}

/// What a server has seen.
struct Journal: Sendable {
    private let recording: LoopbackRecording
    var counts = LoopbackCounts()
    var open: Set<Int> = []
    private var kept: [LoopbackRequest] = []
    var isStopped = false

    init(recording: LoopbackRecording) { self.recording = recording }

    var requests: [LoopbackRequest] {
        if case .last(let limit) = recording { return kept.suffix(limit) }
        return kept
    }

    /// Numbers a request, and keeps it according to the recording mode.
    mutating func record(_ request: inout LoopbackRequest, newHeads: Int) {
        request.index = counts.requests
        counts.requests += 1
        counts.heads += newHeads
        if recording != .off { kept.append(request) }
        if case .last(let limit) = recording, kept.count > 2 * limit + 16 { kept.removeFirst(kept.count - limit) }
    }
}
