#if !canImport(FoundationNetworking)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import Dispatch
    import Foundation

    /// The handshake of one WebSocket, and its result; `@unchecked Sendable`: used only on the engine's queue.
    final class SessionSocket: @unchecked Sendable {
        /// The fields that the platform sets itself.
        private static let own = [
            "Connection", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions",
        ]

        private let request: TransportRequest
        private let plan: RequestPlan
        private let key: String
        private let engine: SessionEngine
        private let began = ContinuousClock.now
        private var task: URLSessionWebSocketTask?
        private var timer: (any DispatchSourceTimer)?
        private var continuation: CheckedContinuation<TransportResponse, any Error>?
        private var isOver = false

        /// - Throws: `TransportError` with code `unsupported` for a request of another protocol than WebSocket.
        init(_ request: TransportRequest, on engine: SessionEngine) throws(TransportError) {
            guard let key = request.headers["Sec-WebSocket-Key"] else {
                throw TransportError.unsupported("URLSession hands over no connection but that of a WebSocket")
            }
            var request = request
            for name in Self.own { request.headers.remove(name) }
            (self.request, self.key, self.engine) = (request, key, engine)
            plan = try RequestPlan(request)
        }

        func start(_ continuation: CheckedContinuation<TransportResponse, any Error>) {
            guard !isOver else { return continuation.resume(throwing: CancellationError()) }
            self.continuation = continuation
            guard let first = plan.urlRequest.url, var parts = URLComponents(url: first, resolvingAgainstBaseURL: true)
            else { return fail(FieldCheck.invalid("the URL cannot be one of a WebSocket")) }
            parts.scheme = ["https", "wss"].contains(parts.scheme?.lowercased()) ? "wss" : "ws"
            var opening = plan.urlRequest
            opening.url = parts.url
            let limits = [plan.timeouts.firstByte, plan.timeouts.total].compactMap(\.self)
            if let limit = limits.min() { setTimer(limit) }
            engine.open(self, opening)
        }

        private func setTimer(_ limit: Duration) {
            let timer = DispatchSource.makeTimerSource(queue: engine.queue)
            timer.schedule(deadline: .now() + .nanoseconds(Int(limit.wholeNanoseconds)), leeway: .milliseconds(1))
            timer.setEventHandler { [weak self] in
                self?.fail(.timedOut, .wait, "no handshake within \(limit.wholeMilliseconds) ms")
            }
            timer.resume()
            self.timer = timer
        }

        func attached(_ task: URLSessionWebSocketTask) {
            guard !isOver else { return engine.cancel(task) }
            self.task = task
        }

        /// The server has accepted: from now on the task belongs to the owner of the connection.
        func opened(_ task: URLSessionWebSocketTask, _ selectedProtocol: String?) {
            guard !isOver else { return engine.cancel(task) }
            var headers = task.response.flatMap(SessionResponseHead.init)?.headers ?? Headers()
            for name in Self.own + ["Sec-WebSocket-Accept", "Sec-WebSocket-Protocol"] { headers.remove(name) }
            // The response to the caller's own key: the platform has checked the key that it sent.
            headers.merge(SocketHandshake.response(key: key, selected: selectedProtocol, deflate: nil))
            let host = plan.host
            let bridge = MessageBridge(TaskChannel(task, engine)) { error in
                TransportError(
                    .connectionLost,
                    phase: .receive,
                    message: "\((error as NSError).localizedDescription) (\(host))"
                )
            }
            let response = TransportResponse(
                status: 101,
                headers: headers,
                body: .duplex(bridge.stream),
                url: plan.url,
                timings: timings
            )
            end { $0?.resume(returning: response) }
        }

        /// The task has ended without a WebSocket: with another status or with an error.
        func completed(_ task: URLSessionTask, _ error: (any Error)?) {
            guard !isOver else { return }
            if let head = task.response.flatMap(SessionResponseHead.init), head.status != 101 {
                let response = TransportResponse(
                    status: head.status,
                    headers: head.headers,
                    body: .bytes(Data()),
                    url: plan.url,
                    timings: timings
                )
                return end { $0?.resume(returning: response) }
            }
            let (code, phase) = error.map { SessionFailure.classify($0) } ?? (.connectionLost, .receive)
            let text = error.map { ($0 as NSError).localizedDescription } ?? "the connection ended without a response"
            fail(code, phase ?? .wait, text)
        }

        private var timings: TransportTimings {
            var timings = TransportTimings()
            timings.total = began.duration(to: .now)
            return timings
        }

        func cancel() {
            if let task { engine.cancel(task) }
            end { $0?.resume(throwing: CancellationError()) }
        }

        /// The server's certificate does not conform to the settings.
        func refused(_ code: TransportError.Code, _ message: String) { fail(code, .tls, message) }

        private func fail(_ code: TransportError.Code, _ phase: TransportError.Phase, _ message: String) {
            fail(TransportError(code, phase: phase, message: "\(message) (\(plan.host))", timings: timings))
        }

        private func fail(_ error: TransportError) {
            if let task { engine.cancel(task) }
            end { $0?.resume(throwing: error) }
        }

        private func end(_ resume: (CheckedContinuation<TransportResponse, any Error>?) -> Void) {
            guard !isOver else { return }
            isOver = true
            timer?.cancel()
            timer = nil
            task = nil
            request.monitor?.update { $0.isEnded = true }
            resume(continuation)
            continuation = nil
        }
    }

    /// `URLSessionWebSocketTask` as a channel of messages.
    final class TaskChannel: MessageChannel {
        private let task: URLSessionWebSocketTask
        private let engine: SessionEngine

        init(_ task: URLSessionWebSocketTask, _ engine: SessionEngine) {
            (self.task, self.engine) = (task, engine)
            // The reader has its own limit; the platform's default would be 1 MiB.
            task.maximumMessageSize = .max
        }

        func send(_ message: ChannelMessage) async throws {
            switch message {
            case .text(let text): try await task.send(.string(text))
            case .data(let data): try await task.send(.data(data))
            }
        }

        func receive() async throws -> ChannelMessage {
            switch try await task.receive() {
            case .string(let text): return .text(text)
            case .data(let data): return .data(data)
            @unknown default: throw URLError(.cannotDecodeRawData)
            }
        }

        /// An unanswered ping may never be reported, or with an error: the keep-alive detects silence instead.
        func ping(_ ponged: @escaping @Sendable () -> Void) { task.sendPing { error in if error == nil { ponged() } } }

        func close(_ code: UInt16, _ reason: Data) {
            task.cancel(with: .init(rawValue: Int(code)) ?? .normalClosure, reason: reason)
        }

        var closed: (code: UInt16, reason: Data)? {
            let code = task.closeCode
            guard code != .invalid, let number = UInt16(exactly: code.rawValue) else { return nil }
            return (number, task.closeReason ?? Data())
        }

        func cut() { engine.cancel(task) }
    }
#endif
