import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One call of `send`, from start to end; `@unchecked Sendable`: mutable state is used only on the engine's queue.
final class SessionExchange: @unchecked Sendable {
    enum Stage {
        case preparing
        /// Waiting for the host's limit.
        case queued
        /// The task runs and has reported nothing yet: it is connecting, sending or waiting.
        case opening
        case sending, waiting, receiving, done
    }

    /// Shows the thread sanitizer the order that a continuation gives when it is resumed before its task is suspended;
    /// with a value, because an empty one would have the address of the buffer's own header.
    let handOver = Locked(false)
    let plan: RequestPlan
    let engine: SessionEngine
    var stage = Stage.preparing
    var times = SessionExchangeTimes()
    var head: SessionResponseHead?
    var task: URLSessionTask?
    /// There is no network, and the settings say to wait for one: limits on silence do not apply.
    var waitsForNetwork = false
    private var continuation: CheckedContinuation<TransportResponse, any Error>?
    private var preparation: Task<Void, Never>?
    private var body = UploadBody.none
    private var sink: (any ResponseSink)?
    private(set) var timer: ExchangeTimer?

    init(_ plan: RequestPlan, on engine: SessionEngine) {
        self.plan = plan
        self.engine = engine
    }

    func start(_ continuation: CheckedContinuation<TransportResponse, any Error>) {
        // The call may be cancelled first.
        guard stage == .preparing else { return continuation.resume(throwing: CancellationError()) }
        self.continuation = continuation
        timer = ExchangeTimer(self)
        switch plan.body {
        case .ready(let body): enqueue(body)
        case .stream(let length, let open):
            preparation = Task { [engine] in
                let result = await UploadBody.spooled(length, open())
                engine.queue.async { self.prepared(result) }
            }
        }
    }

    private func prepared(_ result: Result<UploadBody, any Error>) {
        guard stage == .preparing else {
            if case .success(let body) = result { body.removeSpool() }
            return
        }
        switch result {
        case .success(let body): enqueue(body)
        case .failure(let error as TransportError): fail(error.code, error.message)
        case .failure(let error): fail(.requestBodyFailed, "the request body's sequence failed: \(error)")
        }
    }

    private func enqueue(_ body: UploadBody) {
        self.body = body
        stage = .queued
        times.queued = .now
        engine.limiter.admit(self)
    }

    /// Starts the task; called by the limiter.
    func run() {
        stage = .opening
        times.started = .now
        plan.monitor?.update { state in
            state = ExchangeMonitor.State()
            state.bytesToSend = body.count
        }
        do {
            if case .file(let url) = plan.delivery { sink = try FileSink(url) }
        } catch {
            // Asynchronously, or a series of such failures would recurse.
            let failure = SessionFailure.make(error.code, error.message, in: .queue, self)
            return engine.queue.async { self.fail(failure) }
        }
        engine.start(self, body)
        timer?.schedule()
    }

    func attached(_ task: URLSessionTask) {
        guard stage != .done else { return engine.cancel(task) }
        self.task = task
    }

    func sent(_ total: Int64) {
        guard stage == .opening || stage == .sending else { return }
        times.activity = .now
        waitsForNetwork = false
        plan.monitor?.update { $0.bytesSent = total }
        stage = total >= body.count ? .waiting : .sending
        if stage == .waiting { times.sent = times.activity }
        timer?.schedule()
    }

    func received(_ response: URLResponse) {
        guard stage != .done, let head = SessionResponseHead(response), head.status >= 200 else { return }
        times.activity = .now
        times.firstByte = times.activity
        stage = .receiving
        self.head = head
        plan.monitor?.update { $0.bytesExpected = head.length }
        chooseSink(head)
        timer?.schedule()
    }

    func received(_ data: Data) {
        guard stage == .receiving else { return }
        times.activity = .now
        plan.monitor?.update { $0.bytesReceived += Int64(data.count) }
        do {
            try sink?.receive(data)
        } catch {
            fail(error.code, error.message)
        }
    }

    /// The task has ended, or (a 401 on Linux) will never end by itself.
    func completed(_ error: (any Error)?) {
        guard stage != .done else { return }
        if head == nil, let response = task?.response {
            // A 3xx without Location is not reported on Linux; its head is still available.
            received(response)
        }
        if let error { return fail(SessionFailure.make(error, self)) }
        guard let head, let sink, stage == .receiving else {
            return fail(.connectionLost, "the connection ended without a response")
        }
        do {
            let body = try sink.finish()
            let response = response(head, body)
            end { $0?.resume(returning: response) }
        } catch {
            fail(error.code, error.message)
        }
    }

    private func chooseSink(_ head: SessionResponseHead) {
        switch plan.delivery {
        case .collect(let limit): sink = CollectingSink(limit: limit, head: head)
        case .discard: sink = CollectingSink(limit: (200...299).contains(head.status) ? nil : 64 << 20, head: head)
        case .file:
            if (200...299).contains(head.status) {
                (sink as? FileSink)?.begin(head)
            } else {
                sink?.abort(CancellationError())
                sink = CollectingSink(limit: 64 << 20, head: head)
            }
        // A connection is refused before there is an exchange.
        case .stream, .duplex:
            let chunks = ChunkQueue(head: head, exchange: self)
            sink = chunks
            let stream = ResponseStream(next: { try await chunks.next() }, cancel: { chunks.cancel() })
            let response = response(head, .stream(stream))
            handOver.synchronize()
            continuation?.resume(returning: response)
            continuation = nil
        }
    }

    private func response(_ head: SessionResponseHead, _ body: ResponseBody) -> TransportResponse {
        var response = TransportResponse(
            status: head.status,
            headers: head.headers,
            body: body,
            url: plan.url,
            timings: times.timings
        )
        response.isDecoded = !head.codings.isEmpty && !head.codings.isUnknown
        // An HTTP/1 response without a length ends with its connection; HTTP/2 always delimits.
        response.isDelimited =
            head.headers.contains("Content-Length") || head.headers.contains("Transfer-Encoding")
            || times.timings.httpVersion == "2" || times.timings.httpVersion == "3"
        return response
    }

    func cancel() { end(CancellationError()) }

    /// The server's certificate does not conform to the settings.
    func refused(_ code: TransportError.Code, _ message: String) {
        fail(SessionFailure.make(code, message, in: .tls, self))
    }

    func fail(_ code: TransportError.Code, _ message: String) { fail(SessionFailure.make(code, message, self)) }

    /// Fails the exchange; if the caller does not have the head yet, the result includes the content so far.
    func fail(_ error: TransportError) {
        guard stage == .receiving, continuation != nil, let head else { return end(error) }
        let outcome = Result { try response(head, .bytes(sink?.arrived ?? Data())).failing(error) }
        sink?.abort(error)
        end { $0?.resume(with: outcome) }
    }

    private func end(_ error: any Error) {
        sink?.abort(error)
        end { $0?.resume(throwing: error) }
    }

    private func end(_ resume: (CheckedContinuation<TransportResponse, any Error>?) -> Void) {
        guard stage != .done else { return }
        let last = stage
        stage = .done
        timer?.cancel()
        timer = nil
        preparation?.cancel()
        preparation = nil
        if let task {
            // No effect on a task that has ended, but the only way to end a 401 on Linux.
            engine.cancel(task)
            self.task = nil
        }
        if case .stream = plan.body { body.removeSpool() }
        plan.monitor?.update { $0.isEnded = true }
        handOver.synchronize()
        resume(continuation)
        continuation = nil
        sink = nil
        switch last {
        case .preparing, .done: break
        case .queued: engine.limiter.withdraw(self)
        case .opening, .sending, .waiting, .receiving: engine.limiter.release(self)
        }
    }
}
