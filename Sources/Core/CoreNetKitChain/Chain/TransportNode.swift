import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Passes a request to the transport: the last node of an HTTP chain.
///
/// in: `TransportRequest`, out: `TransportResponse`. The exchange, including the reading of a stream, gets the
/// remaining time of the call's deadline.
public struct TransportNode: Node {
    private let transport: any Transport

    /// Creates the last node.
    public init(_ transport: any Transport) { self.transport = transport }

    /// None: the wire is next.
    public var successors: [any Node] { [] }

    /// Performs the exchange and returns the response, whatever its status.
    ///
    /// - Throws: ``NetworkError`` with the transport's code and phase; `deadlineExceeded` when the call's deadline
    ///   passed.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        // Work before and after the wait is in separate functions, which keeps the frame of this async function small.
        var (request, deadline) = try limited(input, context)
        if context.wantsAll, transport.capabilities.contains(.sentHeaders) { request.reportsSentHeaders = true }
        let location = context.beginExchange(request)
        // A hedged request that has already lost must not be sent: no record would mention it.
        if location?.exchange == 0, Task.isCancelled { throw CancellationError() }
        do {
            return received(try await transport.send(request), until: deadline, context, at: location)
        } catch {
            throw failed(error, until: deadline, context, at: location)
        }
    }

    /// The request with the remaining time of the call, and the deadline if that limits the exchange.
    private func limited(
        _ input: TransportRequest,
        _ context: RequestContext
    ) throws -> (request: TransportRequest, deadline: Duration?) {
        guard let limit = context.deadline else { return (input, nil) }
        let remaining = limit - context.clock.now
        guard remaining > .zero else {
            throw NetworkError.queued(
                .deadlineExceeded,
                "the deadline passed before the request was sent",
                node: id
            )
        }
        guard input.timeouts.total.map({ remaining < $0 }) ?? true else { return (input, nil) }
        return (input.limited(to: remaining), limit)
    }

    private func received(
        _ response: TransportResponse,
        until deadline: Duration?,
        _ context: RequestContext,
        at location: CallEvent.Location?
    ) -> TransportResponse {
        let response = response.following(context.secrets)
        if response.status >= 300, let failure = response.contentFailure {
            context.endExchange(failure, by: failure, at: location)
            return response
        }
        let open = context.receive(response, at: location)
        return owned(response, until: deadline, context, open)
    }

    private func failed(
        _ error: any Error,
        until deadline: Duration?,
        _ context: RequestContext,
        at location: CallEvent.Location?
    ) -> any Error {
        guard let error = error as? TransportError else {
            context.endExchange(error, at: location)
            return NetworkError.wrapping(error, node: id, code: .transportFailed, by: context.secrets) ?? error
        }
        let failure = failure(of: error, until: deadline, Self.errorContext(context))
        context.endExchange(failure, by: error, at: location)
        return failure
    }

    /// A stream is read after the call, under the same deadline and with the same errors.
    ///
    /// It must not hold the context, which holds the response: the transfer ends when the stream is released.
    private func owned(
        _ response: TransportResponse,
        until deadline: Duration?,
        _ context: RequestContext,
        _ open: OpenExchange?
    ) -> TransportResponse {
        if case .duplex(let duplex) = response.body {
            var response = response
            response.body = .duplex(owned(duplex, context, open))
            response.attributes[OpenExchange.self] = open
            return response
        }
        guard case .stream(let stream) = response.body else { return response }
        let (errorContext, head, url) = (Self.errorContext(context), response.lazyHead, response.url)
        let next: @Sendable () async throws -> Data? = {
            var chunks = stream.makeAsyncIterator()
            do {
                let chunk = try await chunks.next()
                if let chunk { open?.read(chunk.count) } else { open?.end() }
                return chunk
            } catch var error as TransportError {
                open?.end(error)
                // The head alone: the reader has the content.
                error.response = error.response ?? TransportResponse(head, url: url)
                throw failure(of: error, until: deadline, errorContext)
            } catch {
                open?.end(error)
                throw error
            }
        }
        let cancel: @Sendable () -> Void = {
            // Before `close()`, which ends a waiting reader; has no effect after the end of the content.
            open?.end(CancellationError())
            stream.close()
        }
        var response = response
        if let open { response.attributes[OpenExchange.self] = open }
        response.body = .stream(ResponseStream(next: next, cancel: cancel, ending: { stream.ending }))
        return response
    }

    /// A connection outlives the call: the deadline applied only to the handshake.
    private func owned(_ duplex: DuplexStream, _ context: RequestContext, _ open: OpenExchange?) -> DuplexStream {
        let errorContext = Self.errorContext(context)
        let own: @Sendable (any Error) -> any Error = { error in
            guard let error = error as? TransportError else { return error }
            open?.end(error)
            return failure(of: error, until: nil, errorContext)
        }
        return DuplexStream(
            receive: {
                do {
                    let data = try await duplex.receive()
                    if let data { open?.read(data.count) }
                    return data
                } catch {
                    throw own(error)
                }
            },
            send: { data in do { try await duplex.send(data) } catch { throw own(error) } },
            close: {
                duplex.close()
                open?.end()
            },
            source: duplex.source.map { OwnedSource($0, open, own) }
        )
    }

    /// The bytes of a connection, counted, and with the errors of the call.
    private final class OwnedSource: DuplexSource {
        private let source: any DuplexSource
        private let open: OpenExchange?
        private let own: @Sendable (any Error) -> any Error

        init(
            _ source: any DuplexSource,
            _ open: OpenExchange?,
            _ own: @escaping @Sendable (any Error) -> any Error
        ) {
            (self.source, self.open, self.own) = (source, open, own)
        }

        func poll() -> Result<Data?, any Error>? {
            let result = source.poll()
            if case .success(let data?) = result { open?.read(data.count) }
            return result.map { $0.mapError(own) }
        }

        func registerWaker(_ wake: @escaping @Sendable () -> Void) -> Bool { source.registerWaker(wake) }
    }

    /// The error of the call; `deadlineExceeded` if the deadline limited the exchange.
    private func failure(of error: TransportError, until deadline: Duration?, _ context: ErrorContext) -> NetworkError {
        var error = error
        error.message = Redaction.message(error.message, by: context.secrets)
        error.response = error.response?.following(context.secrets)
        var failure = NetworkError(error, node: id).of(attempt: context.attempt)
        if let deadline, error.code == .timedOut, context.clock.now + Self.timerSlack >= deadline {
            failure.code = .deadlineExceeded
            failure.message = "the deadline passed while in \(error.phase.rawValue): \(error.message)"
            failure.isRetryable = false
        }
        return failure
    }

    /// The data of a call that its errors need, including errors while its content is streamed.
    private typealias ErrorContext = (clock: CallClock, attempt: Int, secrets: SecretRules)

    private static func errorContext(_ context: RequestContext) -> ErrorContext {
        (context.clock, context.attempt, context.secrets)
    }

    /// Transports count timeouts in whole milliseconds and may fire early by this much.
    private static var timerSlack: Duration { .milliseconds(10) }
}
