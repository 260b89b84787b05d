import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSystem

/// One call from its first byte to its end: reads the request's body, chooses the response, delivers it.
final class MockCall: Sendable {
    private let request: TransportRequest
    private let clock: CallClock
    /// The time limit of the whole call.
    private let end: Duration?
    private let state: WaitableState<MockTransport.State>
    private let received: Locked<MockRequest>
    private let hasEnded = Locked(false)

    init(_ request: TransportRequest, clock: any Clock<Duration>, state: WaitableState<MockTransport.State>) {
        self.request = request
        self.clock = CallClock(clock)
        end = request.timeouts.total.map(self.clock.time(after:))
        self.state = state
        received = Locked(MockRequest(request))
        state.update { $0.inFlight += 1 }
        request.monitor?.update {
            $0 = ExchangeMonitor.State()
            let body = request.body
            $0.bytesToSend = body.isEmpty ? 0 : body.data.map { Int64($0.count) } ?? body.streamLength
        }
    }

    func run() async throws -> TransportResponse {
        try await readBody()
        let reply = try await chooseReply()
        if let delay = reply.delay { try await wait(delay) }
        switch reply.outcome {
        case .failure(let error): throw error
        case .stall: try await stall(in: .wait)
        case .response: break
        }
        let response = try await deliver(reply)
        try Task.checkCancellation()
        switch response.body {
        case .stream, .duplex: return response
        case .bytes, .file: break
        }
        end(isCancelled: false)
        return response
    }

    /// Removes the call from those in flight, once.
    func end(isCancelled: Bool) {
        guard hasEnded.set() else { return }
        self.request.monitor?.update { $0.isEnded = true }
        let request = received.withLock { $0 }
        state.update { state in
            state.inFlight -= 1
            if isCancelled { state.cancelled.append(request) }
        }
    }

    private func readBody() async throws {
        switch request.body.content {
        case .empty: break
        case .bytes(let data): take(data)
        case .file(let url):
            do { take(try Data(contentsOf: url)) } catch {
                throw failed(.requestBodyFailed, "the file of the request body cannot be read: \(error)")
            }
        case .stream(let length, _, let open, let trailers):
            try await read(open(), promised: length)
            let trailers = try trailers.map { try $0.field() }
            received.withLock { $0.trailers = Headers(fields: trailers) }
        }
    }

    private func take(_ data: Data) {
        received.withLock { $0.body.append(data) }
        request.monitor?.update { $0.bytesSent += Int64(data.count) }
    }

    private func read(_ stream: any AsyncSequence<Data, any Error>, promised: Int64?) async throws {
        var count: Int64 = 0
        do {
            for try await chunk in stream {
                try Task.checkCancellation()
                count += Int64(chunk.count)
                if let promised, count > promised { break }
                take(chunk)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw failed(.requestBodyFailed, "the stream of the request body failed: \(error)")
        }
        // A cancelled stream may end without an error.
        try Task.checkCancellation()
        if let promised, count != promised {
            let found = count > promised ? "more" : "\(count)"
            throw failed(.bodyLengthMismatch, "the request body has \(found) of \(promised) declared bytes")
        }
    }

    private func failed(_ code: TransportError.Code, _ message: String) -> TransportError {
        TransportError(code, phase: .send, message: message)
    }

    private func chooseReply() async throws -> MockResponse {
        var request = received.withLock { $0 }
        while true {
            let scripts = state.read { $0.scripts }
            guard let (index, parameters) = Self.match(scripts, request) else {
                state.update { state in
                    state.requests.append(request)
                    state.unscripted.append(request)
                }
                throw TransportError.unscripted(scripts.message(for: request))
            }
            request.parameters = parameters
            let turn = state.update { state -> Int? in
                // Another call may have used the last response since.
                guard !state.scripts[index].isExhausted else { return nil }
                state.scripts[index].useCount += 1
                state.requests.append(request)
                return state.scripts[index].useCount - 1
            }
            guard let turn else { continue }
            received.withLock { [request] in $0 = request }
            switch scripts[index].source {
            case .replies(let replies): return replies[min(turn, replies.count - 1)]
            case .computed(let reply):
                let reply = try await reply(request)
                try requireTime(in: .wait)
                return reply
            }
        }
    }

    /// Runs outside the lock, because a predicate is user code.
    private static func match(_ scripts: [Script], _ request: MockRequest) -> (Int, [String: String])? {
        for index in scripts.indices.reversed() where !scripts[index].isExhausted {
            if let parameters = scripts[index].pattern.match(request) { return (index, parameters) }
        }
        return nil
    }

    private func wait(_ delay: Duration) async throws {
        let waking = clock.time(after: delay)
        if let limited = earliest(in: .wait), limited < waking { return try await stall(in: .wait) }
        try await clock.sleep(until: waking)
    }

    /// Suspends until the call is cancelled or reaches a time limit, as on a wire.
    private func stall(in phase: TransportError.Phase) async throws {
        guard let waking = earliest(in: phase) else { return try await state.wait { _ in false } }
        try await clock.sleep(until: waking)
        throw late(in: phase)
    }

    /// The earlier end of the phase that begins now and of the call.
    private func earliest(in phase: TransportError.Phase) -> Duration? {
        [request.timeouts[phase.row.limit].map(clock.time(after:)), end].compactMap(\.self).min()
    }

    /// Checks the time limit, which may pass even if the script does not wait.
    private func requireTime(in phase: TransportError.Phase) throws {
        if let end, clock.now >= end { throw late(in: phase) }
    }

    private func late(in phase: TransportError.Phase) -> TransportError {
        let message = "the script sent nothing until a limit of the request"
        var failure = TransportError(.timedOut, phase: phase, message: message)
        failure.endsCall = end.map { clock.now >= $0 } ?? false
        return failure
    }

    private func deliver(_ reply: MockResponse) async throws -> TransportResponse {
        if request.delivery == .duplex, let socket = reply.socket,
            var response = socket.respond(to: request, onEnd: { self.end(isCancelled: false) })
        {
            if request.reportsSentHeaders { response.sentHeaders = request.headers }
            return response
        }
        let hasContent = request.method != .head && reply.status != 204 && reply.status != 304
        let content = MockContent(hasContent ? reply : .ok, monitor: request.monitor) {
            try self.requireTime(in: .receive)
        } stall: {
            try await self.stall(in: .receive)
        }
        var head = TransportResponse(status: reply.status, headers: reply.headers, url: request.url)
        if request.reportsSentHeaders { head.sentHeaders = request.headers }
        return try await content.deliver(as: request.delivery, after: head) { stream(content) }
    }

    private func stream(_ content: MockContent) -> ResponseStream {
        // In a task of its own, so that closing the stream does not wait for the script's delays.
        let reading = Locked<(task: Task<Data?, any Error>?, isClosed: Bool)>((nil, false))
        return ResponseStream {
            do {
                try Task.checkCancellation()
                let task = Task { try await content.next() }
                let isClosed = reading.withLock { reading in
                    reading.task = task
                    return reading.isClosed
                }
                // The stream was closed before the task was stored.
                if isClosed { task.cancel() }
                let chunk = try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
                if chunk == nil { self.end(isCancelled: false) }
                return chunk
            } catch {
                self.end(isCancelled: error is CancellationError)
                throw error
            }
        } cancel: {
            let task = reading.withLock { reading in
                reading.isClosed = true
                return reading.task.take()
            }
            task?.cancel()
            self.end(isCancelled: true)
        }
    }
}
