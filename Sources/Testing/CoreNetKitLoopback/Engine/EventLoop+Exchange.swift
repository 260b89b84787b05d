import CoreNetKitHTTP
import CoreNetKitPeer

/// The path of a connection's bytes to requests to responses.
extension EventLoop {
    enum Initiator { case client, clientReset, server }

    private static let outputLimit = 1 << 16
    private static let inputLimit = 1 << 20
    static let bytesPerTurn = 1 << 20

    /// Does all work that is possible now: reads requests, writes responses.
    func drive(_ connection: Connection) {
        if driveIfHTTP2(connection) { return }
        while connection.phase != .draining {
            var madeProgress = false
            while connection.phase == .idle, !connection.closesWhenSent, connection.output.pending < Self.outputLimit,
                step(connection)
            {
                madeProgress = true
            }
            let phase = connection.phase
            guard flush(connection) else { break }
            if !madeProgress && phase == connection.phase { break }
        }
        settle(connection)
    }

    /// Ends a connection and records it in the journal.
    func end(_ connection: Connection, by initiator: Initiator, resetting: Bool = false) {
        guard self.connection(connection.connectionID) != nil else { return }
        poller.remove(connection.descriptor)
        forget(connection)
        if resetting {
            SystemSocket.reset(connection.descriptor)
        } else {
            SystemSocket.closeDescriptor(connection.descriptor)
        }
        connection.phase = .draining
        connection.output.more = nil
        connection.task?.cancel()
        connection.peer?.disconnect()
        endStreams(of: connection)
        journal.update { state in
            state.open.remove(connection.connectionID.number)
            state.counts.open -= 1
            switch initiator {
            case .server: state.counts.serverCloses += 1
            case .client: state.counts.clientCloses += 1
            case .clientReset:
                state.counts.clientCloses += 1
                state.counts.clientResets += 1
            }
        }
    }

    func begin(_ response: LoopbackResponse, on connection: Connection) {
        guard response.delay > .zero else { return write(response, on: connection) }
        connection.phase = .waiting
        timers.set(.respond(connection.connectionID, response), after: response.delay)
    }

    func write(_ response: LoopbackResponse, on connection: Connection) {
        if writeIfHTTP2(response, on: connection) { return }
        var writer = ResponseWriter(response, for: connection.head, on: connection)
        writer.write()
        if writer.closes { connection.closesWhenSent = true }
        if connection.faults.drip != nil {
            dripping.insert(connection.connectionID)
            startTicking()
        }
        if let socket = response.socket, let opening = socket.opening {
            return open(socket.script, opening, socket.bytesAfterHead, on: connection)
        }
        let faults = connection.faults
        let needsSteps = connection.output.more != nil || !faults.cuts.isEmpty || faults.drip != nil
        connection.phase = needsSteps ? .responding : .idle
        if !needsSteps { connection.finishedResponses += 1 }
    }

    // MARK: Reading

    /// Reads the next request and starts its response; returns whether there was one.
    private func step(_ connection: Connection) -> Bool {
        guard connection.input.unread > 0 else { return false }
        var heads = 0
        while true {
            switch connection.parse() {
            case .head:
                heads = 1
                connection.head = connection.parser.head
                if routes.hasHeadHandlers, replyHead(connection) { return true }
            case .needsMore:
                if heads > 0 {
                    journal.update { $0.counts.heads += 1 }
                    if connection.head.expectsContinue {
                        connection.output.bytes.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
                    }
                }
                return false
            case .complete:
                var request = connection.parser.take(connection: connection.connectionID.number)
                let handler = routes.handler(for: &request)
                journal.update { $0.record(&request, newHeads: heads) }
                reply(request, by: handler, on: connection)
                return true
            case .malformed(let status, let reason):
                journal.update { $0.counts.malformed += 1 }
                connection.head = RequestParser.Head()
                connection.input.isReadEnabled = false
                connection.endsEarly = true
                begin(.text(reason + "\n", status: status).closing(), on: connection)
                return true
            }
        }
    }

    /// Calls the handlers of heads; if one responds, the body is not read.
    private func replyHead(_ connection: Connection) -> Bool {
        let request = connection.parser.preview(connection: connection.connectionID.number)
        guard let response = routes.headReply(for: request) else { return false }
        journal.update { $0.counts.heads += 1 }
        connection.input.isReadEnabled = false
        connection.endsEarly = true
        begin(response.closing(), on: connection)
        return true
    }

    func reply(_ request: LoopbackRequest, by handler: Routes.Handler, on connection: Connection) {
        switch handler {
        case .sync(let handler):
            let response: LoopbackResponse
            do { response = try handler(request).opened(for: request) } catch { response = Self.failure(error) }
            begin(response, on: connection)
        case .async(let handler):
            connection.phase = .waiting
            connection.task = Task { [commands, connectionID = connection.connectionID] in
                let response: LoopbackResponse
                do { response = try await handler(request).opened(for: request) } catch {
                    response = EventLoop.failure(error)
                }
                commands.post(.respond(connectionID, response))
            }
        }
    }

    private static func failure(_ error: any Error) -> LoopbackResponse {
        .text("the handler failed: \(error)\n", status: 500)
    }

    // MARK: Writing

    /// Sends as many bytes as possible now; returns whether everything is sent and nothing is blocked.
    func flush(_ connection: Connection) -> Bool {
        let start = connection.output.sent
        while true {
            // The other connections take their turn after this many bytes; the poller returns at once.
            if connection.output.sent - start > Self.bytesPerTurn { connection.output.isBlocked = true }
            if connection.output.isBlocked || connection.faults.isStalled { return false }
            if let cut = connection.faults.cuts.first, cut.offset <= connection.output.sent {
                connection.faults.cuts.removeFirst()
                perform(cut.action, on: connection)
                return false
            }
            if connection.output.pending == 0 {
                connection.output.dropSent()
                if let more = connection.output.more {
                    if !more(&connection.output.bytes) { connection.output.more = nil }
                    continue
                }
                // On a WebSocket, a cut waits for its byte.
                if !connection.faults.cuts.isEmpty, connection.phase != .socket {
                    perform(connection.faults.cuts.removeFirst().action, on: connection)
                    return false
                }
                finish(connection)
                return true
            }
            var count = connection.output.pending
            if let cut = connection.faults.cuts.first { count = min(count, cut.offset - connection.output.sent) }
            if connection.faults.drip != nil {
                count = min(count, connection.faults.allowance)
                if count == 0 { return false }
            }
            guard send(count, on: connection) else { return false }
        }
    }

    private func send(_ count: Int, on connection: Connection) -> Bool {
        let start = connection.output.start
        let result = connection.output.bytes.withUnsafeBytes {
            SystemSocket.write(UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]), to: connection.descriptor)
        }
        switch result {
        case .bytes(let sent):
            connection.output.start += sent
            connection.output.sent += sent
            connection.faults.allowance -= connection.faults.drip == nil ? 0 : sent
            return true
        case .wouldBlock:
            connection.output.isBlocked = true
            return false
        case .endOfStream, .failed:
            end(connection, by: .clientReset)
            return false
        }
    }

    func perform(_ action: Connection.Faults.CutAction, on connection: Connection) {
        switch action {
        case .close:
            connection.output.bytes = []
            connection.output.start = 0
            close(connection)
        case .reset: end(connection, by: .server, resetting: true)
        case .stall(let gate):
            connection.faults.isStalled = true
            journal.update { $0.counts.stalls += 1 }
            gate?.notify { [commands, connectionID = connection.connectionID] in commands.post(.resume(connectionID)) }
        }
    }

    /// Called when everything queued is sent.
    private func finish(_ connection: Connection) {
        if connection.phase == .responding {
            connection.phase = .idle
            connection.finishedResponses += 1
            connection.faults.drip = nil
            dripping.remove(connection.connectionID)
        }
        if connection.finishedResponses > 0 {
            let finished = connection.finishedResponses
            connection.finishedResponses = 0
            journal.update { $0.counts.responses += finished }
        }
        let isAtRest = connection.phase == .idle || connection.phase == .socket
        if connection.closesWhenSent && isAtRest { close(connection) }
    }

    // MARK: Ending

    /// Closes in an orderly way: with unread bytes of the client a plain close would be a reset, so they are read first.
    func close(_ connection: Connection) {
        guard connection.endsEarly, !connection.input.isAtEnd else { return end(connection, by: .server) }
        SystemSocket.shutdownSend(connection.descriptor)
        connection.phase = .draining
        connection.input.isReadEnabled = true
        timers.set(.drop(connection.connectionID), after: .seconds(5))
    }

    /// Ends the connection of a client that is gone, or updates the poller.
    func settle(_ connection: Connection) {
        guard self.connection(connection.connectionID) != nil else { return }
        if connection.input.isAtEnd && !connection.output.isBlocked {
            return end(connection, by: connection.phase == .draining ? .server : .client)
        }
        var interest: Interest = []
        if connection.input.isReadEnabled && connection.input.unread < Self.inputLimit { interest.insert(.read) }
        if connection.output.isBlocked { interest.insert(.write) }
        guard interest != connection.interest else { return }
        connection.interest = interest
        poller.change(connection.descriptor, interest)
    }
}
