import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire

/// One connection of a socket: reads frames, writes messages, watches the peer, and ends in good order.
final class SocketLink: Sendable {
    /// What is told while it runs.
    protocol Listener: AnyObject, Sendable {
        /// Takes a message; returns when there is room for another one.
        ///
        /// - Parameters:
        ///   - message: The message.
        ///   - rests: Called where it takes a while, and again with `false` when that is over.
        func take(_ message: SocketMessage, rests: (Bool) -> Void) async
        func count(received messages: Int, bytes: Int)
        func count(sent messages: Int, bytes: Int)
        func note(ping: Duration)
    }

    private struct State: Sendable {
        /// What decides how it ended, the first of all reasons.
        var end: LinkEnd?
        var hasSentClose = false
        var ticket: TimerQueue.Ticket?
    }

    let agreement: SocketHandshake.Agreement
    let openedAt: Duration
    private let duplex: DuplexStream
    private let story: OpenExchange?
    private let options: SocketOptions
    private let clock: CallClock
    private let timers: TimerQueue
    private let user: CallUser
    private let node: NodeID
    private let outbox: LinkOutbox
    private let keepAlive: LinkKeepAlive
    private let state = Locked(State())

    init(
        _ response: SocketResponse,
        _ options: SocketOptions,
        _ parts: ChainParts,
        user: CallUser,
        node: NodeID,
        listener: any Listener
    ) {
        (duplex, agreement, story) = (response.duplex, response.agreement, response.story)
        (self.options, self.user, self.node) = (options, user, node)
        (clock, timers, openedAt) = (parts.clock, parts.timers, parts.clock.now)
        let duplex = duplex
        let outbox = LinkOutbox(duplex, options, agreement.deflate, node: node, story) { [weak listener] in
            listener?.count(sent: $0, bytes: $1)
        }
        self.outbox = outbox
        let isSilent = Locked(false)
        keepAlive = LinkKeepAlive(options.keepAlive, parts) { content in
            outbox.ping(content)
        } isDead: {
            isSilent.withLock { $0 = true }
            duplex.close()
        }
        self.isSilent = isSilent
        keepAlive.start()
    }

    private let isSilent: Locked<Bool>

    deinit {
        if let ticket = state.withLock({ $0.ticket }) { timers.cancel(ticket) }
    }

    /// Sends a message, see ``LinkOutbox/send(_:)``.
    func send(_ message: SocketMessage) async throws {
        try requireUser()
        try await outbox.send(message)
    }

    /// Sends a ping and waits for its pong.
    func ping() async throws -> Duration { try await keepAlive.ping() }

    /// Begins a close; the reader tells how it went.
    func close(_ close: SocketClose, failure: NetworkError? = nil, isWanted: Bool = true) {
        settle(LinkEnd(close: close, failure: failure, isWanted: isWanted))
        say(close)
    }

    /// Ends the connection at once.
    func cut() { duplex.close() }

    // MARK: - Reading

    /// Reads until the connection has ended, or both sides have closed.
    func run(_ listener: some Listener) async -> LinkEnd {
        let end = await read(listener)
        let failure =
            end.failure
            ?? NetworkError.socket(
                SocketError(.notOpen, "the connection has ended", close: end.close),
                node: node
            )
        outbox.end(failure)
        keepAlive.end(failure)
        return end
    }

    private func read(_ listener: some Listener) async -> LinkEnd {
        var reader = SocketReader(.client, limit: options.messageLimit, deflate: agreement.deflate)
        do {
            while let bytes = try await duplex.receive() {
                keepAlive.hear()
                listener.count(received: 0, bytes: bytes.count)
                do { try requireUser() } catch {
                    close(SocketClose(.goingAway), failure: NetworkError.wrapping(error, node: node), isWanted: false)
                }
                reader.feed(bytes)
                while let event = try reader.next() {
                    if let close = await handle(event, listener) {
                        drain()
                        return close
                    }
                }
            }
            return ended(nil)
        } catch let fault as SocketFault {
            return broken(fault)
        } catch {
            return ended(error)
        }
    }

    /// - Returns: How it ended, with the other side's close.
    private func handle(_ event: SocketReader.Event, _ listener: some Listener) async -> LinkEnd? {
        switch event {
        case .message(let content, let isText):
            // Who has closed wants no more messages.
            guard state.withLock({ $0.end == nil }) else { return nil }
            listener.count(received: 1, bytes: 0)
            story?.note { $0.messagesReceived += 1 }
            story?.note(content, isText: isText, isSent: false)
            let message: SocketMessage = isText ? .text(String(decoding: content, as: UTF8.self)) : .data(content)
            await listener.take(message) { keepAlive.rest($0) }
        case .ping(let content): outbox.pong(content)
        case .pong(let content): if let time = keepAlive.pong(content) { note(ping: time, listener) }
        case .close(let code, let reason):
            let close = SocketClose(.init(rawValue: code), reason, isFromPeer: true)
            tell(close)
            say(SocketClose(code == SocketCloseRules.none ? .noStatus : close.code))
            let end = state.withLock { $0.end }
            return LinkEnd(close: close, failure: end?.failure, isWanted: end?.isWanted ?? false)
        }
        return nil
    }

    private func broken(_ fault: SocketFault) -> LinkEnd {
        let close = SocketClose(.init(rawValue: fault.code))
        let code: SocketError.Code = fault.code == 1009 ? .messageTooLarge : .broken
        let what = code == .broken ? "the other side broke the protocol: " : ""
        let error = SocketError(code, what + fault.message, close: close)
        let end = settle(LinkEnd(close: close, failure: .socket(error, node: node)))
        say(close)
        drain()
        return end
    }

    /// The connection ended without a close of the other side.
    private func ended(_ error: (any Error)?) -> LinkEnd {
        let close = SocketClose(.abnormal)
        if isSilent.withLock({ $0 }) {
            let error = SocketError(.silent, "the other side has sent nothing for too long", close: close)
            return settle(LinkEnd(close: close, failure: .socket(error, node: node)))
        }
        let cut = SocketError(.cut, "the connection ended without a close", close: close)
        var failure = NetworkError.socket(cut, node: node)
        if let error = error.flatMap({ NetworkError.wrapping($0, node: node) }) {
            (failure.code, failure.message, failure.timings) = (error.code, error.message, error.timings)
        }
        let end = settle(LinkEnd(close: close, failure: failure))
        // A close without a response is still a close.
        return end.isWanted ? LinkEnd(close: close, isWanted: true) : end
    }

    @discardableResult
    private func settle(_ end: LinkEnd) -> LinkEnd {
        state.withLock { state in
            if let end = state.end { return end }
            state.end = end
            tell(end.close)
            return end
        }
    }

    private func note(ping time: Duration, _ listener: some Listener) {
        listener.note(ping: time)
        story?.note { $0.latestPing = time }
    }

    /// Tells the record of the connection how it ends.
    private func tell(_ close: SocketClose) {
        story?.note { ($0.closeCode, $0.isClosedByPeer) = (close.code.rawValue, close.isFromPeer) }
    }

    /// Sends a close, and gives the connection up when that takes too long.
    private func say(_ close: SocketClose) {
        let isFirst = state.withLock { state in
            defer { state.hasSentClose = true }
            return !state.hasSentClose
        }
        guard isFirst else { return }
        outbox.close(SocketCloseRules.content(close.code.rawValue, close.reason))
        let duplex = duplex
        let ticket = timers.set(at: clock.time(after: options.closePatience)) { duplex.close() }
        state.withLock { $0.ticket = ticket }
    }

    /// Waits until the server has ended the connection, as RFC 6455, 7.1.1, wants it, and drops what comes.
    private func drain() {
        Task.here { [self] in
            while let bytes = try? await duplex.receive(), !bytes.isEmpty {}
            duplex.close()
            if let ticket = state.withLock({ $0.ticket.take() }) { timers.cancel(ticket) }
        }
    }

    private func requireUser() throws { try user.requireUnchanged(at: node) }
}
