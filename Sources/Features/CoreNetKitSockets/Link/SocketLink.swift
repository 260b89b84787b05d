import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire

/// One connection of a socket: reads frames, writes messages, watches the peer, and ends in good order.
final class SocketLink: Sendable {
    /// What is told while it runs.
    protocol Listener: AnyObject, Sendable {
        /// Takes a message; `false` where there is no room for another one behind it.
        func take(_ message: SocketMessage) -> Bool
        func count(received messages: Int, bytes: Int)
        func count(sent messages: Int, bytes: Int)
        func note(ping: Duration)
        /// Ends the wait for room: the connection has ended.
        func wake()
    }

    /// What follows a look at what has come.
    enum Step {
        /// More has to come.
        case receive
        /// The listener has no room.
        case full
        /// The other side broke the protocol: an end, as soon as what had come before has been read.
        case broken(LinkEnd)
        case ended(LinkEnd)
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
    /// What a reader takes bytes from without waiting.
    var source: (any DuplexSource)? { duplex.source }
    private let story: OpenExchange?
    private let setup: SocketSetup
    private let user: CallUser
    private let outbox: LinkOutbox
    private let keepAlive: LinkKeepAlive
    private let wake: @Sendable () -> Void
    private let state = Locked(State())
    /// Used by who reads, which is one.
    private let reader: Locked<SocketReader>

    init(_ response: SocketResponse, _ setup: SocketSetup, user: CallUser, listener: any Listener) {
        (duplex, agreement, story) = (response.duplex, response.agreement, response.story)
        (self.setup, self.user, openedAt) = (setup, user, setup.parts.clock.now)
        let outbox = LinkOutbox(duplex, setup, agreement.deflate, story) { [weak listener] in
            listener?.count(sent: $0, bytes: $1)
        }
        self.outbox = outbox
        keepAlive = LinkKeepAlive(setup.options.keepAlive, setup.parts) { content in
            outbox.ping(content)
        } progress: {
            outbox.progress
        }
        wake = { [weak listener] in listener?.wake() }
        reader = Locked(SocketReader(.client, limit: setup.options.messageLimit, deflate: agreement.deflate))
    }

    private var node: NodeID { setup.node }
    private var timers: TimerQueue { setup.parts.timers }

    deinit {
        if let ticket = state.withLock({ $0.ticket }) { timers.cancel(ticket) }
    }

    /// Sends a message, see ``LinkOutbox/send(_:cut:)``.
    func send(_ message: SocketMessage, cuts: Bool = true) async throws {
        try requireUser()
        let cut: @Sendable () -> Void = { [self] in
            giveUp(.abandoned, "a message was cancelled while it was being written: the other side did not take it")
        }
        try await outbox.send(message, cut: cuts ? cut : nil)
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

    // An idle socket is a task that waits for bytes, and nothing else of it is suspended: what is done with them suspends
    // nobody, so that no memory of a task is kept for it. Where the connection has a source, the task waits in its own frame.

    /// Takes bytes that have come; `nil` where there are none yet.
    func receiveNow(_ source: any DuplexSource, _ listener: any Listener) -> Step? {
        switch source.take() {
        case nil: nil
        case .success(let bytes): arrived(bytes, listener)
        case .failure(let error): .ended(ended(error))
        }
    }

    /// Watches the other side from here on: before, nobody would hear it.
    func beginReading() {
        keepAlive.start { [weak self] in
            self?.giveUp(.silent, "the other side has sent nothing, or taken nothing, for too long")
        }
    }

    /// Waits for bytes and takes them.
    func receive(_ listener: any Listener) async -> Step {
        do { return arrived(try await duplex.receive(), listener) } catch { return .ended(ended(error)) }
    }

    private func arrived(_ bytes: Data?, _ listener: any Listener) -> Step {
        guard let bytes else { return .ended(ended(nil)) }
        keepAlive.hear()
        listener.count(received: 0, bytes: bytes.count)
        do { try requireUser() } catch {
            close(SocketClose(.goingAway), failure: NetworkError.wrapping(error, node: node), isWanted: false)
        }
        reader.withLock { $0.feed(bytes) }
        return take(listener)
    }

    /// Goes on with what has come, once the listener has room.
    func goOn(_ listener: any Listener) -> Step {
        keepAlive.rest(false)
        return take(listener)
    }

    /// The connection has ended: who sends, and who waits for a pong, is told.
    func finish(_ end: LinkEnd) {
        let failure =
            end.failure
            ?? NetworkError.socket(
                SocketError(.notOpen, "the connection has ended", close: end.close),
                node: node
            )
        outbox.end(failure)
        keepAlive.end(failure)
    }

    /// Takes what has come, up to a message behind which there is no room.
    private func take(_ listener: any Listener) -> Step {
        do throws(SocketFault) {
            while let event = try reader.withLock({ reader throws(SocketFault) in try reader.next() }) {
                switch event {
                case .message(let content, let isText):
                    guard pass(content, isText: isText, to: listener) else {
                        keepAlive.rest(true)
                        return .full
                    }
                case .ping(let content): outbox.pong(content)
                case .pong(let content): if let time = keepAlive.pong(content) { note(ping: time, listener) }
                case .close(let code, let reason):
                    let isFirst = state.withLock { !$0.hasSentClose }
                    let end = closed(SocketClose(.init(rawValue: code), reason, isFromPeer: isFirst))
                    drain()
                    return .ended(end)
                }
            }
            return .receive
        } catch {
            keepAlive.rest(true)
            return .broken(fault(error))
        }
    }

    /// - Returns: Whether there is room for another message.
    private func pass(_ content: Data, isText: Bool, to listener: any Listener) -> Bool {
        // Who has closed wants no more messages.
        guard state.withLock({ $0.end == nil }) else { return true }
        listener.count(received: 1, bytes: 0)
        story?.note { $0.messagesReceived += 1 }
        story?.note(content, isText: isText, isSent: false)
        return listener.take(isText ? .text(String(decoding: content, as: UTF8.self)) : .data(content))
    }

    /// The other side has closed.
    private func closed(_ close: SocketClose) -> LinkEnd {
        tell(close)
        // What breaks behind a close is no failure.
        story?.settle()
        say(SocketClose(close.code.rawValue == SocketCloseRules.none ? .noStatus : close.code))
        let end = state.withLock { $0.end }
        return LinkEnd(close: close, failure: end?.failure, isWanted: end?.isWanted ?? false)
    }

    private func fault(_ fault: SocketFault) -> LinkEnd {
        let close = SocketClose(.init(rawValue: fault.code))
        let code: SocketError.Code = fault.code == 1009 ? .messageTooLarge : .broken
        let what = code == .broken ? "the other side broke the protocol: " : ""
        let error = SocketError(code, what + fault.message, close: close)
        return LinkEnd(close: close, failure: .socket(error, node: node))
    }

    /// Ends the connection after a fault, unless it is closing already.
    func breakOff(_ fault: LinkEnd) -> LinkEnd {
        let end = settle(fault)
        say(fault.close)
        drain()
        return end
    }

    /// The connection ended without a close of the other side.
    private func ended(_ error: (any Error)?) -> LinkEnd {
        let close = SocketClose(.abnormal)
        let cut = SocketError(.cut, "the connection ended without a close", close: close)
        var failure = NetworkError.socket(cut, node: node)
        if let error = error.flatMap({ NetworkError.wrapping($0, node: node) }) {
            (failure.code, failure.message, failure.timings) = (error.code, error.message, error.timings)
        }
        let end = settle(LinkEnd(close: close, failure: failure))
        // A close without a response is still a close.
        return end.isWanted ? LinkEnd(close: close, isWanted: true) : end
    }

    /// Ends the connection to an other side that says or takes nothing, for all who use it, and tells them why.
    private func giveUp(_ code: SocketError.Code, _ words: String) {
        let close = SocketClose(.abnormal)
        let error = SocketError(code, words, close: close)
        let end = settle(LinkEnd(close: close, failure: .socket(error, node: node)))
        if let failure = end.failure { outbox.end(failure) }
        duplex.close()
        wake()
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

    private func note(ping time: Duration, _ listener: any Listener) {
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
        let ticket = timers.set(at: setup.parts.clock.time(after: setup.options.closePatience)) { duplex.close() }
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
