import CoreNetKitHTTP

/// One connection's way from bytes to requests to responses.
extension EventLoop {
    enum Ending { case client, clientReset, server }

    private static let outputLimit = 1 << 16
    private static let inputLimit = 1 << 20
    private static let share = 1 << 20

    /// Does everything that is possible now: reads requests, writes responses.
    func drive(_ connection: Connection) {
        while connection.phase != .draining {
            var progressed = false
            while connection.phase == .idle, !connection.closesWhenSent, connection.pending < Self.outputLimit,
                step(connection)
            {
                progressed = true
            }
            let phase = connection.phase
            guard flush(connection) else { break }
            if !progressed && phase == connection.phase { break }
        }
        settle(connection)
    }

    /// Ends a connection and tells the journal.
    func end(_ connection: Connection, by who: Ending, resetting: Bool = false) {
        guard self.connection(connection.address) != nil else { return }
        poller.remove(connection.descriptor)
        forget(connection)
        if resetting { Socket.reset(connection.descriptor) } else { Socket.shut(connection.descriptor) }
        connection.phase = .draining
        connection.more = nil
        connection.task?.cancel()
        connection.peer?.leave()
        journal.update { state in
            state.open.remove(connection.address.connection)
            state.counts.open -= 1
            switch who {
            case .server: state.counts.serverCloses += 1
            case .client: state.counts.clientCloses += 1
            case .clientReset:
                state.counts.clientCloses += 1
                state.counts.clientResets += 1
            }
        }
    }

    /// Starts a response, now or after its delay.
    func begin(_ response: LoopbackResponse, on connection: Connection) {
        guard response.delay > .zero else { return write(response, on: connection) }
        connection.phase = .waiting
        connection.delayed = response
        timers.set(.respond(connection.address), after: response.delay)
    }

    func write(_ response: LoopbackResponse, on connection: Connection) {
        var writer = ResponseWriter(response, for: connection.head, on: connection)
        writer.write()
        if writer.closes { connection.closesWhenSent = true }
        if connection.drip != nil {
            dripping.insert(connection.address)
            startTicking()
        }
        if let socket = response.socket, let opening = socket.opening {
            return open(socket, opening, on: connection)
        }
        let needsSteps = connection.more != nil || !connection.cuts.isEmpty || connection.drip != nil
        connection.phase = needsSteps ? .responding : .idle
        if !needsSteps { connection.finished += 1 }
    }

    // MARK: Reading

    /// Reads the next request and starts its response; returns whether there was one.
    private func step(_ connection: Connection) -> Bool {
        guard connection.unread > 0 else { return false }
        var heads = 0
        while true {
            switch connection.parse() {
            case .head:
                heads = 1
                connection.head = connection.parser.head
                if routes.hasHeadHandlers, answerHead(connection) { return true }
            case .needsMore:
                if heads > 0 {
                    journal.update { $0.counts.heads += 1 }
                    if connection.head.expectsContinue {
                        connection.output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
                    }
                }
                return false
            case .complete:
                var request = connection.parser.take(connection: connection.address.connection)
                journal.record(&request, newHeads: heads)
                answer(request, on: connection)
                return true
            case .malformed(let status, let reason):
                journal.update { $0.counts.malformed += 1 }
                connection.head = RequestParser.Head()
                connection.reads = false
                connection.endsEarly = true
                begin(.text(reason + "\n", status: status).closing(), on: connection)
                return true
            }
        }
    }

    /// Asks the handlers of heads; if one responds, the body is not read.
    private func answerHead(_ connection: Connection) -> Bool {
        let request = connection.parser.preview(connection: connection.address.connection)
        guard let response = routes.headAnswer(for: request) else { return false }
        journal.update { $0.counts.heads += 1 }
        connection.reads = false
        connection.endsEarly = true
        begin(response.closing(), on: connection)
        return true
    }

    private func answer(_ request: LoopbackRequest, on connection: Connection) {
        switch routes.handler(for: request) {
        case .sync(let handler):
            let response: LoopbackResponse
            do { response = try handler(request).opened(for: request) } catch { response = Self.failure(error) }
            begin(response, on: connection)
        case .async(let handler):
            connection.phase = .waiting
            let address = connection.address
            connection.task = Self.start(handler, request, for: address, inbox)
        }
    }

    private static func start(
        _ handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse,
        _ request: LoopbackRequest,
        for address: Inbox.Address,
        _ inbox: Inbox
    ) -> Task<Void, Never> {
        Task { inbox.post(.respond(address, await result(of: handler, request))) }
    }

    private static func result(
        of handler: @Sendable (LoopbackRequest) async throws -> LoopbackResponse,
        _ request: LoopbackRequest
    ) async -> LoopbackResponse {
        do { return try await handler(request).opened(for: request) } catch { return failure(error) }
    }

    private static func failure(_ error: any Error) -> LoopbackResponse {
        .text("the handler failed: \(error)\n", status: 500)
    }

    // MARK: Writing

    /// Sends what may be sent now; returns whether everything is out and nothing stands in the way.
    private func flush(_ connection: Connection) -> Bool {
        let start = connection.sent
        while true {
            // After a fair share the others have their turn; the poller comes back at once.
            if connection.sent - start > Self.share { connection.isBlocked = true }
            if connection.isBlocked || connection.isStalled { return false }
            if let cut = connection.cuts.first, cut.offset <= connection.sent {
                connection.cuts.removeFirst()
                guard perform(cut.action, on: connection) else { return false }
                continue
            }
            if connection.pending == 0 {
                connection.dropSentOutput()
                if let more = connection.more {
                    if !more(&connection.output) { connection.more = nil }
                    continue
                }
                // Of a WebSocket a cut waits for its byte.
                if !connection.cuts.isEmpty, connection.phase != .socket {
                    let cut = connection.cuts.removeFirst()
                    guard perform(cut.action, on: connection) else { return false }
                    continue
                }
                finish(connection)
                return true
            }
            var count = connection.pending
            if let cut = connection.cuts.first { count = min(count, cut.offset - connection.sent) }
            if connection.drip != nil {
                count = min(count, connection.allowance)
                if count == 0 { return false }
            }
            guard send(count, on: connection) else { return false }
        }
    }

    private func send(_ count: Int, on connection: Connection) -> Bool {
        let start = connection.outputStart
        let result = connection.output.withUnsafeBytes {
            Socket.write(UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]), to: connection.descriptor)
        }
        switch result {
        case .bytes(let sent):
            connection.outputStart += sent
            connection.sent += sent
            connection.allowance -= connection.drip == nil ? 0 : sent
            return true
        case .wouldBlock:
            connection.isBlocked = true
            return false
        case .closed, .failed:
            end(connection, by: .clientReset)
            return false
        }
    }

    private func perform(_ action: Connection.Cut.Action, on connection: Connection) -> Bool {
        switch action {
        case .close:
            connection.output = []
            connection.outputStart = 0
            close(connection)
        case .reset: end(connection, by: .server, resetting: true)
        case .stall(let gate):
            connection.isStalled = true
            journal.update { $0.counts.stalls += 1 }
            gate?.notify { [inbox, address = connection.address] in inbox.post(.resume(address)) }
        }
        return false
    }

    /// Takes note that everything queued is sent.
    private func finish(_ connection: Connection) {
        if connection.phase == .responding {
            connection.phase = .idle
            connection.finished += 1
            connection.drip = nil
            dripping.remove(connection.address)
        }
        if connection.finished > 0 {
            let finished = connection.finished
            connection.finished = 0
            journal.update { $0.counts.responses += finished }
        }
        let isAtRest = connection.phase == .idle || connection.phase == .socket
        if connection.closesWhenSent && isAtRest { close(connection) }
    }

    // MARK: Ending

    /// Closes in order: with bytes of the client unread a plain close would be a reset, so they are read first.
    private func close(_ connection: Connection) {
        guard connection.endsEarly, !connection.clientIsDone else { return end(connection, by: .server) }
        Socket.endSending(connection.descriptor)
        connection.phase = .draining
        connection.reads = true
        timers.set(.drop(connection.address), after: .seconds(5))
    }

    /// Ends the connection of a client that is gone, and tells the poller what to wait for.
    private func settle(_ connection: Connection) {
        guard self.connection(connection.address) != nil else { return }
        if connection.clientIsDone && !connection.isBlocked {
            return end(connection, by: connection.phase == .draining ? .server : .client)
        }
        var interest: Interest = []
        if connection.reads && connection.unread < Self.inputLimit { interest.insert(.read) }
        if connection.isBlocked { interest.insert(.write) }
        guard interest != connection.interest else { return }
        connection.interest = interest
        poller.change(connection.descriptor, interest)
    }
}
