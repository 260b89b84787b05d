import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire

/// What all sockets of a chain share, stored once to keep an idle socket small.
final class SocketSetup: Sendable {
    let options: SocketOptions
    let parts: ChainParts
    let node: NodeID = "SocketNode"

    init(_ options: SocketOptions, _ parts: ChainParts) { (self.options, self.parts) = (options, parts) }
}

/// How one connection of a socket ended: a class, because an error is large, and most sockets have none for most of their life.
final class LinkEnd: Sendable {
    /// The close of either side; ``SocketClose/Code/abnormal`` if there was none.
    let close: SocketClose
    /// The failure; `nil` for a close by either side.
    let failure: NetworkError?
    /// Whether this side requested the end.
    let isWanted: Bool

    init(close: SocketClose, failure: NetworkError? = nil, isWanted: Bool = false) {
        (self.close, self.failure, self.isWanted) = (close, failure, isWanted)
    }
}

/// One connection of a socket: reads frames, sends messages, watches the peer, and closes properly.
final class SocketLink: Sendable {
    protocol Listener: AnyObject, Sendable {
        /// Takes a message; `false` if there is no room for another one.
        func take(_ message: SocketMessage) -> Bool
        func note(_ change: (inout SocketStatistics) -> Void)
        /// Ends the wait for room because the connection has ended.
        func wake()
    }

    /// The next step after received bytes were parsed.
    enum Step {
        case receive
        case full
        /// The peer broke the protocol: the connection ends as soon as the earlier messages have been read.
        case broken(LinkEnd)
        case ended(LinkEnd)
    }

    private struct State: Sendable {
        /// Why the connection ended: the first reason counts.
        var end: LinkEnd?
        var hasSentClose = false
        var ticket: TimerQueue.TimerID?
    }

    let agreement: SocketHandshake.Agreement
    let openedAt: Duration
    private let duplex: DuplexStream
    /// The source of bytes that can be read without waiting.
    var source: (any DuplexSource)? { duplex.source }
    private let record: OpenExchange?
    private let setup: SocketSetup
    private let user: CallUser
    private let outbox: LinkOutbox
    private let keepAlive: LinkKeepAlive
    private let wake: @Sendable () -> Void
    private let state = Locked(State())
    /// Only the single reader uses it.
    private let reader: Locked<SocketReader>

    init(_ response: SocketResponse, _ setup: SocketSetup, user: CallUser, listener: any Listener) {
        (duplex, agreement, record) = (response.duplex, response.agreement, response.record)
        (self.setup, self.user, openedAt) = (setup, user, setup.parts.clock.now)
        let outbox = LinkOutbox(duplex, setup, agreement.deflate, record) { [weak listener] messages, bytes in
            listener?.note { statistics in
                statistics.messagesSent += messages
                statistics.bytesSent += Int64(bytes)
            }
        }
        self.outbox = outbox
        keepAlive = LinkKeepAlive(setup.options.keepAlive, setup.parts, send: outbox.ping) { outbox.progress }
        wake = { [weak listener] in listener?.wake() }
        reader = Locked(SocketReader(.client, limit: setup.options.messageLimit, deflate: agreement.deflate))
    }

    private var node: NodeID { setup.node }
    private var timers: TimerQueue { setup.parts.timers }

    deinit { if let ticket = state.withLock({ $0.ticket }) { timers.cancel(ticket) } }

    func send(_ message: SocketMessage, cuts: Bool = true) async throws {
        try requireUser()
        let cut: @Sendable () -> Void = { [self] in
            giveUp(.abandoned, "a message was cancelled while it was being written: the other side did not take it")
        }
        try await outbox.send(message, cut: cuts ? cut : nil)
    }

    func ping() async throws -> Duration { try await keepAlive.ping() }

    /// Starts a close; the reader reports how it ended.
    func close(_ close: SocketClose, failure: NetworkError? = nil, isWanted: Bool = true) {
        noteEnd(LinkEnd(close: close, failure: failure, isWanted: isWanted))
        sendClose(close)
    }

    func cut() { duplex.close() }

    // MARK: - Reading

    // An idle socket is one task suspended for bytes. The processing of bytes is synchronous, so that no further task memory is
    // held; where the connection has a source, the task waits in its own frame.

    /// Takes bytes that have already arrived; `nil` if there are none.
    func receiveNow(_ source: any DuplexSource, _ listener: any Listener) -> Step? {
        switch source.poll() {
        case nil: nil
        case .success(let bytes): arrived(bytes, listener)
        case .failure(let error): .ended(ended(error))
        }
    }

    /// Starts the keep-alive: before reading begins, no sign of life would be seen.
    func beginReading() {
        keepAlive.start { [weak self] in
            self?.giveUp(.silent, "the other side has sent nothing, or taken nothing, for too long")
        }
    }

    func receive(_ listener: any Listener) async -> Step {
        do { return arrived(try await duplex.receive(), listener) } catch { return .ended(ended(error)) }
    }

    private func arrived(_ bytes: Data?, _ listener: any Listener) -> Step {
        guard let bytes else { return .ended(ended(nil)) }
        keepAlive.noteReceived()
        listener.note { $0.bytesReceived += Int64(bytes.count) }
        do { try requireUser() } catch {
            close(SocketClose(.goingAway), failure: NetworkError.wrapping(error, node: node), isWanted: false)
        }
        reader.withLock { $0.feed(bytes) }
        return take(listener)
    }

    func resumeReading(_ listener: any Listener) -> Step {
        keepAlive.setResting(false)
        return take(listener)
    }

    /// Called after the end of the connection: senders and waiting pings fail.
    func finish(_ end: LinkEnd) {
        let over = SocketError(.notOpen, "the connection has ended", close: end.close)
        let failure = end.failure ?? .socket(over, node: node)
        outbox.end(failure)
        keepAlive.end(failure)
    }

    /// Processes the bytes that arrived, up to a message that fills the listener.
    private func take(_ listener: any Listener) -> Step {
        do throws(SocketFault) {
            while let event = try reader.withLock({ reader throws(SocketFault) in try reader.next() }) {
                switch event {
                case .message(let content, let isText):
                    guard pass(content, isText: isText, to: listener) else {
                        keepAlive.setResting(true)
                        return .full
                    }
                case .ping(let content): outbox.pong(content)
                case .pong(let content):
                    guard let time = keepAlive.pong(content) else { continue }
                    listener.note { $0.latestPing = time }
                    record?.note { $0.latestPing = time }
                case .close(let code, let reason):
                    let isFirst = state.withLock { !$0.hasSentClose }
                    let end = closed(SocketClose(.init(rawValue: code), reason, isFromPeer: isFirst))
                    drain()
                    return .ended(end)
                }
            }
            return .receive
        } catch {
            keepAlive.setResting(true)
            return .broken(fault(error))
        }
    }

    /// Returns whether there is room for another message.
    private func pass(_ content: Data, isText: Bool, to listener: any Listener) -> Bool {
        // After a close of this side, messages are dropped.
        guard state.withLock({ $0.end == nil }) else { return true }
        listener.note { $0.messagesReceived += 1 }
        record?.note { $0.messagesReceived += 1 }
        record?.note(content, isText: isText, isSent: false)
        return listener.take(isText ? .text(String(decoding: content, as: UTF8.self)) : .data(content))
    }

    private func closed(_ close: SocketClose) -> LinkEnd {
        recordClose(close)
        // What breaks after a close is no failure.
        record?.markComplete()
        sendClose(SocketClose(close.code.rawValue == SocketCloseRules.none ? .noStatus : close.code))
        let end = state.withLock { $0.end }
        return LinkEnd(close: close, failure: end?.failure, isWanted: end?.isWanted ?? false)
    }

    private func fault(_ fault: SocketFault) -> LinkEnd {
        let close = SocketClose(.init(rawValue: fault.code))
        let code: SocketError.Code = fault.code == 1009 ? .messageTooLarge : .broken
        let what = code == .broken ? "the other side broke the protocol: " : ""
        return end(code, what + fault.message, close)
    }

    private func end(_ code: SocketError.Code, _ words: String, _ close: SocketClose) -> LinkEnd {
        LinkEnd(close: close, failure: .socket(SocketError(code, words, close: close), node: node))
    }

    /// Ends the connection after a protocol error, unless it is closing already.
    func abort(_ fault: LinkEnd) -> LinkEnd {
        let end = noteEnd(fault)
        sendClose(fault.close)
        drain()
        return end
    }

    /// Handles the end of the connection without a close from the peer.
    private func ended(_ error: (any Error)?) -> LinkEnd {
        let close = SocketClose(.abnormal)
        let cut = SocketError(.cut, "the connection ended without a close", close: close)
        var failure = NetworkError.socket(cut, node: node)
        if let error = error.flatMap({ NetworkError.wrapping($0, node: node) }) {
            (failure.code, failure.message, failure.timings) = (error.code, error.message, error.timings)
        }
        let end = noteEnd(LinkEnd(close: close, failure: failure))
        // A requested close that got no answer is still a close.
        return end.isWanted ? LinkEnd(close: close, isWanted: true) : end
    }

    /// Ends a connection whose peer is silent, and fails all its users with the reason.
    private func giveUp(_ code: SocketError.Code, _ words: String) {
        let end = noteEnd(self.end(code, words, SocketClose(.abnormal)))
        if let failure = end.failure { outbox.end(failure) }
        duplex.close()
        wake()
    }

    @discardableResult
    private func noteEnd(_ end: LinkEnd) -> LinkEnd {
        state.withLock { state in
            if let end = state.end { return end }
            state.end = end
            recordClose(end.close)
            return end
        }
    }

    private func recordClose(_ close: SocketClose) {
        record?.note { ($0.closeCode, $0.isClosedByPeer) = (close.code.rawValue, close.isFromPeer) }
    }

    /// Sends a close, and ends the connection if the peer does not answer in time.
    private func sendClose(_ close: SocketClose) {
        let isFirst = state.withLock { state in
            defer { state.hasSentClose = true }
            return !state.hasSentClose
        }
        guard isFirst else { return }
        outbox.close(SocketCloseRules.content(close.code.rawValue, close.reason))
        let duplex = duplex
        let ticket = timers.set(at: setup.parts.clock.time(after: setup.options.closeTimeout)) { duplex.close() }
        state.withLock { $0.ticket = ticket }
    }

    /// Waits until the server has ended the connection, as RFC 6455, 7.1.1, requires, and drops further bytes.
    private func drain() {
        Task.startImmediately { [self] in
            while let bytes = try? await duplex.receive(), !bytes.isEmpty {}
            duplex.close()
            if let ticket = state.withLock({ $0.ticket.take() }) { timers.cancel(ticket) }
        }
    }

    private func requireUser() throws { try user.requireUnchanged(at: node) }
}

/// Statistics of a socket, over all its connections.
public struct SocketStatistics: Sendable, Hashable {
    /// Received messages.
    public internal(set) var messagesReceived = 0
    /// Messages that the operating system has accepted.
    public internal(set) var messagesSent = 0
    /// Bytes received after the handshakes.
    public internal(set) var bytesReceived: Int64 = 0
    /// Bytes sent after the handshakes.
    public internal(set) var bytesSent: Int64 = 0
    /// The round-trip time of the latest ping.
    public internal(set) var latestPing: Duration?
    /// How many times a reconnection was tried.
    public internal(set) var reconnects = 0
    /// Messages that were skipped because they could not be decoded.
    public internal(set) var skipped = 0
}
