public import CoreNetKitHTTP

extension MockTransport {
    /// The requests in the order in which their bodies were complete, scripted or not.
    public var requests: [MockRequest] { state.read { $0.requests } }

    /// The requests that a script of this method and path would match, in order, with the parameters of the pattern.
    public func requests(_ method: HTTPMethod?, _ path: String) -> [MockRequest] {
        let pattern = RequestPattern(method, path)
        return requests.compactMap { request in
            pattern.match(request).map { parameters in
                var copy = request
                copy.parameters = parameters
                return copy
            }
        }
    }

    /// The requests whose calls were cancelled before their end, in the order of cancellation.
    public var cancelledRequests: [MockRequest] { state.read { $0.cancelled } }

    /// The number of calls that have begun and not ended; a stream counts until it is read to its end or dropped.
    public var callsInFlight: Int { state.read { $0.inFlight } }

    /// The scripts with unused responses, each with its source location.
    public var unusedScripts: [String] { state.read { $0.scripts.filter(\.hasUsesLeft).map(\.shortfall) } }

    /// Checks that every script was used and every request scripted.
    ///
    /// - Throws: ``MockVerificationError`` that lists all unused scripts and unscripted requests.
    public func verify() throws {
        let (unused, unscripted) = (unusedScripts, state.read { $0.unscripted.map(\.description) })
        guard unused.isEmpty, unscripted.isEmpty else {
            throw MockVerificationError(unusedScripts: unused, unscriptedRequests: unscripted)
        }
    }

    /// Waits until at least this many requests have been made, and returns all.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [MockRequest] {
        try await state.wait { $0.requests.count >= count }
        return requests
    }

    /// Waits until at least this many calls have been cancelled, and returns their requests.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    @discardableResult
    public func waitForCancellation(_ count: Int = 1) async throws -> [MockRequest] {
        try await state.wait { $0.cancelled.count >= count }
        return cancelledRequests
    }

    /// Waits until no call is in flight.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    public func waitUntilIdle() async throws { try await state.wait { $0.inFlight == 0 } }
}

/// The unused scripts and the unscripted requests of a mock transport.
public struct MockVerificationError: Error, Sendable, CustomStringConvertible {
    /// The scripts with unused responses.
    package let unusedScripts: [String]
    /// The requests without a script.
    package let unscriptedRequests: [String]

    /// One line that lists all of them.
    public var description: String {
        var parts: [String] = []
        if !unusedScripts.isEmpty { parts.append("unused scripts: " + unusedScripts.joined(separator: "; ")) }
        if !unscriptedRequests.isEmpty {
            parts.append("requests without a script: " + unscriptedRequests.joined(separator: "; "))
        }
        return parts.joined(separator: ". ")
    }
}
