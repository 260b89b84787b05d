/// What the server has recorded, and waiting for it without sleeping.
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

    /// Waits until this number of requests were received.
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
    public func closeConnections() { inbox.post(.closeConnections) }

    /// Lets every dripping response send its next bytes.
    public func tick() { inbox.post(.tick) }
}
