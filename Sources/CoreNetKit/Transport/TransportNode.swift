public import CoreNetKitTransport

/// Hands a request to the transport: the last node of an HTTP chain.
///
/// in: `TransportRequest`, out: `TransportResponse`. The exchange gets what is left of the call's deadline.
public struct TransportNode: Node {
    private let transport: any Transport
    private let clock: CallClock

    /// Creates the last node.
    ///
    /// - Parameters:
    ///   - transport: Who performs the exchange.
    ///   - clock: The clock of the deadline.
    public init(_ transport: any Transport, clock: CallClock = .continuous) {
        self.transport = transport
        self.clock = clock
    }

    /// None: the wire is next.
    public var successors: [any Node] { [] }

    /// Performs the exchange.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError`` with the transport's code and phase; `deadlineExceeded` when the call's deadline passed.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        var request = input
        var isBoundByDeadline = false
        if let deadline = context.deadline {
            let remaining = deadline - clock.now
            guard remaining > .zero else {
                throw failure(.deadlineExceeded, "the deadline passed before the request was sent", .queue, context)
            }
            if request.timeouts.total.map({ remaining < $0 }) ?? true {
                request.timeouts.total = remaining
                isBoundByDeadline = true
            }
        }
        do {
            let response = try await transport.send(request)
            context.record(.info, id, Self.summary(of: response))
            return response
        } catch let error as TransportError {
            var failure = NetworkError(error, stage: id)
            failure.attempt = context.attempt
            if isBoundByDeadline, error.code == .timedOut, let deadline = context.deadline,
                clock.now + Self.timerSlack >= deadline
            {
                failure.code = .deadlineExceeded
                failure.message = "the deadline passed while in \(error.phase.rawValue): \(error.message)"
                failure.isRetryable = false
            }
            context.record(.error, id, "\(failure.code): \(failure.message)")
            throw failure
        } catch {
            throw NetworkError.wrapping(error, stage: id, code: .transportFailed) ?? error
        }
    }

    /// Timers of transports count whole milliseconds and may fire that much early.
    private static var timerSlack: Duration { .milliseconds(10) }

    private func failure(
        _ code: NetworkError.Code,
        _ message: String,
        _ phase: TransportError.Phase,
        _ context: RequestContext
    ) -> NetworkError {
        var error = NetworkError(code, message, stage: id)
        error.phase = phase
        error.attempt = context.attempt
        return error
    }

    private static func summary(of response: TransportResponse) -> String {
        var parts = ["status \(response.status)"]
        if let data = response.body.data { parts.append("\(data.count) bytes") }
        if let first = response.timings.firstByte { parts.append("first byte after \(first.milliseconds)") }
        if let reused = response.timings.isConnectionReused { parts.append(reused ? "reused" : "new connection") }
        return parts.joined(separator: ", ")
    }
}
