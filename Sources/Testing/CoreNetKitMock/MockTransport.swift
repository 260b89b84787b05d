public import CoreNetKitEssentials
// Scripts use errors and timings of the wire.
@_exported public import CoreNetKitHTTP
// The script of a WebSocket uses `SocketPeer`.
@_exported public import CoreNetKitPeer

/// A transport without a wire: responds from a script and records the requests.
///
/// Instances are independent, so tests run in parallel. A request without a matching script fails at once, with the
/// nearest scripts in its message.
///
///     let mock = MockTransport {
///         $0.on(.get, "/users/:id", .json(user))
///         $0.on(.post, "/login", .status(503), .json(token))
///     }
///
/// ### Scripts
/// A path is written as in the URL; `:name` and `*` match one segment, `**` at the end matches any rest. A pattern
/// may begin with an origin (`https://example.com/users`) and may end with query items that must be there among
/// others (`/users?page=2`). The script added last wins, so a test can replace a default.
///
/// ### Differences from a wire
/// Requests are validated and delivered as by the platform's transport, without connections and without real time:
/// delays and the limits of the request use the given clock, headers are those of the chain, content is not compressed.
public final class MockTransport: Transport {
    struct State: Sendable {
        var scripts: [Script] = []
        var requests: [MockRequest] = []
        var unscripted: [MockRequest] = []
        var cancelled: [MockRequest] = []
        var inFlight = 0
    }

    /// The capabilities of the mock; it rejects requests that need others, as a real transport would.
    public let capabilities: TransportCapabilities
    let clock: any Clock<Duration>
    let state = WaitableState(State())

    /// Creates a mock with the scripts that the closure adds; the clock is for delays and the limits of requests.
    public init(
        capabilities: TransportCapabilities = [
            .phaseTimeouts, .streamingUpload, .streamingDownload, .exactHeaders, .bodyOnAnyMethod, .identityCoding,
            .sentHeaders, .progress, .duplex, .requestTrailers,
        ],
        clock: any Clock<Duration> = ContinuousClock(),
        _ script: (MockTransport) -> Void = { _ in }
    ) {
        self.capabilities = capabilities
        self.clock = clock
        script(self)
    }

    /// Always the same: the script sees only the request.
    public func clientIdentity(for url: URL) -> String? { "" }

    /// Reads the request's body to its end, then chooses the response and delivers it as the request asks.
    ///
    /// - Throws: The scripted error, `TransportError` if the request is invalid or not scripted, `CancellationError` when
    ///   the task was cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        try request.validate()
        try request.validate(for: capabilities)
        let needed = TransportCapabilities.bodyOnAnyMethod
        if !request.body.isEmpty, request.method == .get || request.method == .head, !capabilities.contains(needed) {
            let message = "this mock does not support a body with \(request.method); add \(needed) to its capabilities"
            throw TransportError(.unsupported, phase: .queue, message: message)
        }
        let call = MockCall(request, clock: clock, state: state)
        do {
            return try await call.run()
        } catch {
            call.end(isCancelled: error is CancellationError)
            throw error
        }
    }
}
