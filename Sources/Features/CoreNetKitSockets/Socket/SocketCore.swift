import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem
import CoreNetKitWire

/// The connections of one socket, one after another, each a call of the chain: one task reads, decides and reconnects as long
/// as the socket exists.
final class SocketCore: Sendable {
    struct State: Sendable {
        var link: SocketLink?
        var statistics = SocketStatistics()
        var failures = 0
        var lastClose: SocketClose?
        /// The end of the socket; once it is set, nothing else happens.
        var end: LinkEnd?
        /// Whether this side has requested the end.
        var isClosing = false
        /// Why nothing more is sent.
        var over: LinkEnd? { end ?? (isClosing ? LinkEnd(close: SocketClose(.normal)) : nil) }
        var task: Task<Void, Never>?
        var senders = WaitQueue<Waiter<SocketLink>>()
        var closers: [Waiter<SocketClose>] = []
        /// Listeners to the end of connections, with its error, and to new ones.
        var listeners: [(lost: @Sendable (NetworkError?) -> Void, renewed: @Sendable (SocketLink) -> Void)] = []
    }

    /// How long a reader may take for earlier messages before the next greeting is sent.
    private static let readTimeout = Duration.seconds(5)

    let inbox: SocketInbox
    let states = StateFeed<SocketState>(.connecting)
    let state = Locked(State())
    private let setup: SocketSetup
    private let user: CallUser
    private let greeting: GreetingChannel.Greeting?
    private let decide: (@Sendable (SocketClose) -> SocketDecision?)?
    private let connect: @Sendable () async throws -> SocketResponse

    init(
        _ setup: SocketSetup,
        user: CallUser,
        greeting: GreetingChannel.Greeting?,
        decide: (@Sendable (SocketClose) -> SocketDecision?)?,
        connect: @escaping @Sendable () async throws -> SocketResponse
    ) {
        (self.setup, self.user) = (setup, user)
        (self.greeting, self.decide, self.connect) = (greeting, decide, connect)
        inbox = SocketInbox(capacity: setup.options.inbox)
    }

    var node: NodeID { setup.node }
    var options: SocketOptions { setup.options }
    var parts: ChainParts { setup.parts }

    func open() async throws {
        let (link, step) = try await makeFirstLink()
        install(link)
        read(link, from: step)
    }

    /// Sends a message over the current connection, or over the next one; with `cuts`, the connection ends if the task is
    /// cancelled and the peer does not read the message.
    func send(_ message: SocketMessage, cuts: Bool = true) async throws {
        do {
            try await openLink().send(message, cuts: cuts)
        } catch {
            // A sender in a loop must not keep the thread from the task that notices the end of the connection.
            await Task.yield()
            throw error
        }
    }

    func ping() async throws -> Duration { try await openLink().ping() }

    /// Ends the socket; unread messages are dropped.
    func close(_ close: SocketClose) async -> SocketClose {
        let waiter = Waiter<SocketClose>()
        let end = state.withLock { state in
            if state.end == nil { state.closers.append(waiter) }
            return state.end
        }
        if let end { return end.close }
        beginClosing(close)
        do {
            return try await waiter.value()
        } catch {
            // A caller that does not wait for the peer's close gets the close that was sent.
            return close
        }
    }

    func beginClosing(_ close: SocketClose) {
        let (link, task, isFirst) = state.withLock { state in
            defer { state.isClosing = true }
            return (state.link, state.task, !state.isClosing && state.end == nil)
        }
        guard isFirst else { return }
        inbox.end(nil, drops: true)
        if let link { link.close(close) } else { task?.cancel() }
    }

    // MARK: - Connections

    /// The current connection, or the next one as soon as it exists.
    func openLink() async throws -> SocketLink {
        if let link = state.withLock({ $0.end == nil ? $0.link : nil }) { return link }
        let waiter = Waiter<SocketLink>()
        let (link, end) = state.withLock { state -> (SocketLink?, LinkEnd?) in
            if let link = state.link, state.end == nil { return (link, nil) }
            if state.over == nil { state.senders.append(waiter) }
            return (nil, state.over)
        }
        if let link { return link }
        if let end { throw notOpen(end) }
        do {
            return try await waiter.value()
        } catch {
            state.withLock { _ = $0.senders.remove(waiter) }
            throw error
        }
    }

    /// The current connection; `nil` between two, an error if there will be no more connections.
    func currentLink() throws -> SocketLink? {
        let (link, end) = state.withLock { ($0.link, $0.over) }
        if let end { throw notOpen(end) }
        return link
    }

    /// Why nothing is sent after the end: the failure of the socket, if it has one.
    private func notOpen(_ end: LinkEnd) -> NetworkError {
        let error = SocketError(.notOpen, "the socket is closed: nothing can be sent", close: end.close)
        return (end.failure ?? .socket(error, node: node)).unsent
    }

    /// Opens the first connection; if its greeting shows that the token has expired, once more with a new one.
    private func makeFirstLink() async throws -> (SocketLink, SocketLink.Step) {
        do { return try await makeLink() } catch {
            guard let failure = error as? NetworkError, (failure.cause as? SocketError)?.code == .closed,
                verdict(on: failure) == .renewToken
            else { throw error }
        }
        renewToken()
        return try await makeLink()
    }

    /// Opens a connection and sends the greeting over it; others may send only after that.
    private func makeLink() async throws -> (SocketLink, SocketLink.Step) {
        states.set(.connecting)
        let response = try await connect()
        let resume = state.withLock { state in
            SocketResume(
                reconnects: state.statistics.reconnects,
                lastClose: state.lastClose,
                selectedProtocol: response.agreement.selectedProtocol
            )
        }
        response.record?.beginSocket(reconnects: resume.reconnects)
        let link = SocketLink(response, setup, user: user, listener: self)
        do {
            let step = try await greeting?(GreetingChannel(link, resume, self)) ?? .receive
            try Task.checkCancellation()
            return (link, step)
        } catch {
            link.cut()
            throw error
        }
    }

    private func renewToken() { for policy in parts.policies { (policy as? TokenRefresher)?.invalidate() } }

    /// Makes a connection available to all senders.
    private func install(_ link: SocketLink) {
        let (senders, isClosing) = state.withLock { state in
            state.link = link
            return (state.senders.takeAll(), state.isClosing)
        }
        if isClosing { link.close(SocketClose(.normal)) } else { states.set(.open) }
        for sender in senders { sender.resume(.success(link)) }
    }

    /// Reports each connection that ends from now on, and each new one.
    func onConnection(
        lost: @escaping @Sendable (NetworkError?) -> Void,
        renewed: @escaping @Sendable (SocketLink) -> Void
    ) { state.withLock { $0.listeners.append((lost, renewed)) } }

    /// Starts reading a connection, in a task that is kept small, because every idle socket keeps it alive.
    private func read(_ link: SocketLink, from step: SocketLink.Step) {
        link.beginReading()
        let source = link.source
        begin { [self] in
            var step = step
            while true {
                switch step {
                case .receive:
                    guard let source else {
                        step = await link.receive(self)
                        continue
                    }
                    if let next = link.receiveNow(source, self) {
                        step = next
                        continue
                    }
                    // Directly in this frame, so that the wait takes one small piece of the task's memory.
                    await withUnsafeContinuation { continuation in
                        if !source.registerWaker({ continuation.resume() }) { continuation.resume() }
                    }
                case .full:
                    await inbox.waitForRoom()
                    step = link.resumeReading(self)
                case .broken(let fault):
                    await settle()
                    return lost(link, link.abort(fault))
                case .ended(let end): return lost(link, end)
                }
            }
        }
    }

    /// Lets the reader take earlier messages, and reply to them, before the connection is broken off.
    private func settle() async {
        let limit = parts.clock.time(after: options.closeTimeout)
        // Nothing cancels it while there is a connection; a close of this side ends it.
        try? await inbox.settle(until: limit, on: parts.clock)
    }

    /// Called when a connection has ended: reconnects, or ends the socket.
    private func lost(_ link: SocketLink, _ end: LinkEnd) {
        link.finish(end)
        state.withLock { state in
            state.link = nil
            state.lastClose = end.close
            // A connection that lasted resets the count.
            let lasted = parts.clock.now - link.openedAt
            if lasted >= options.reconnection.reset { state.failures = 0 }
        }
        for listener in state.withLock(\.listeners) { listener.lost(end.failure) }
        guard !state.withLock({ $0.isClosing }), let decision = verdict(on: end) else { return finish(end, nil) }
        begin { [self] in
            do {
                let (link, step) = try await CallDeadline.outside { try await connectAgain(after: decision) }
                install(link)
                for listener in state.withLock(\.listeners) { listener.renewed(link) }
                read(link, from: step)
            } catch {
                finish(LinkEnd(close: state.withLock { $0.lastClose } ?? end.close), error)
            }
        }
    }

    /// Starts the task that continues the socket; only one runs at a time.
    private func begin(_ work: @escaping @Sendable () async -> Void) {
        // Started under the lock: its work may end at once, and the next task must not be taken for this one.
        let unwanted = state.withLock { state in
            let task = Task<Void, Never>.startSeparately(work)
            state.task = task
            return state.isClosing && state.link == nil ? task : nil
        }
        unwanted?.cancel()
    }

    /// The decision after an end; `nil` ends the socket.
    private func verdict(on end: LinkEnd) -> SocketDecision? {
        guard options.reconnection.isAllowed, !end.isWanted, end.failure?.code != .userChanged else { return nil }
        if let decision = decide?(end.close) { return decision == .giveUp ? nil : decision }
        if let failure = end.failure { return failure.isRetryable ? .reconnect : nil }
        switch end.close.code {
        case .goingAway, .internalError, .serviceRestart, .tryAgainLater, .badGateway: return .reconnect
        default: return nil
        }
    }

    /// The decision after a failed connection: a close before its greeting finished is treated like any other.
    private func verdict(on failure: NetworkError) -> SocketDecision? {
        guard let close = (failure.cause as? SocketError)?.close else { return failure.isRetryable ? .reconnect : nil }
        state.withLock { $0.lastClose = close }
        return verdict(on: LinkEnd(close: close, failure: close.isFromPeer ? nil : failure))
    }

    private func connectAgain(after decision: SocketDecision) async throws -> (SocketLink, SocketLink.Step) {
        var (decision, asked) = (decision, Duration?.none)
        while true {
            if decision == .renewToken { renewToken() }
            let failures = state.withLock { state in
                defer { state.failures += 1 }
                return state.failures
            }
            let wait = options.reconnection.wait(failures: failures, retryAfter: asked, random: parts.random.next())
            states.set(.waiting(wait))
            try await parts.sleep(for: wait, atLeast: asked)
            state.withLock { $0.statistics.reconnects += 1 }
            // A greeting that says where to resume needs the earlier messages to be read first.
            if greeting != nil {
                try await inbox.settle(until: parts.clock.time(after: Self.readTimeout), on: parts.clock)
            }
            do {
                return try await makeLink()
            } catch let error as CancellationError {
                throw error
            } catch {
                guard let failure = NetworkError.wrapping(error, node: node), let next = verdict(on: failure),
                    options.reconnection.limit.map({ failures + 1 < $0 }) ?? true
                else { throw error }
                decision = next
                asked = failure.refusal.flatMap { RetryAfter.wait(of: $0.headers, now: parts.date) }
            }
        }
    }

    /// Ends the socket, and notifies readers, senders and callers of `close`.
    private func finish(_ last: LinkEnd, _ error: (any Error)?) {
        let close = last.close
        let failure = if let error { NetworkError.wrapping(error, node: node) } else { failure(of: last) }
        let end = LinkEnd(close: close, failure: failure)
        let (senders, closers) = state.withLock { state in
            state.end = end
            defer { state.closers = [] }
            return (state.senders.takeAll(), state.closers)
        }
        // Update the state before notifying: listeners may read it.
        states.set(.closed(close))
        states.finish()
        inbox.end(failure)
        for sender in senders { sender.resume(.failure(notOpen(end))) }
        for closer in closers { closer.resume(.success(close)) }
    }

    private func failure(of end: LinkEnd) -> NetworkError? {
        guard !end.isWanted else { return nil }
        if let failure = end.failure { return failure }
        switch end.close.code {
        case .normal, .goingAway, .noStatus: return nil
        default:
            let message = "the other side closed the socket with code \(end.close.code)"
            return .socket(SocketError(.closed, message, close: end.close), node: node)
        }
    }
}

extension SocketCore: SocketLink.Listener {
    func take(_ message: SocketMessage) -> Bool { inbox.add(message) }

    func wake() { inbox.wake() }

    func note(_ change: (inout SocketStatistics) -> Void) { note(isGreeting: false, change) }

    func note(isGreeting: Bool, _ change: (inout SocketStatistics) -> Void) {
        state.withLock { state in
            let received = state.statistics.messagesReceived
            change(&state.statistics)
            // Messages show that the server works: the next failure counts as the first. In a greeting they may be a refusal.
            if state.statistics.messagesReceived > received, !isGreeting { state.failures = 0 }
        }
    }
}
