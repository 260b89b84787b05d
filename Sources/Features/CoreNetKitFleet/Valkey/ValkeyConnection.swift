import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The connection to one server, renewed when it is lost, with the timeout of its replies.
final class ValkeyConnection: Sendable {
    private enum Stage: Sendable {
        case idle
        /// New calls wait for the connection.
        case connecting([ValkeyCall])
        case open(ValkeySession)
    }

    private struct State: Sendable {
        var stage = Stage.idle
        /// How many connection attempts have failed in a row.
        var failures = 0
        /// The server's permanent refusal, and until when no new attempt is made.
        var refusal: SharedStoreError?
        var refusedUntil = Duration.zero
        var isScheduled = false
        /// Key prefixes for which tracking was requested on this connection.
        var tracked: Set<String> = []
        /// Key prefixes for which the server has confirmed tracking.
        var confirmed: Set<String> = []
        var calledAt = Duration.zero
        var isProbed = false
        /// The guard of the store: it treats the server as unavailable until this connection reports that it is back.
        weak var guarded: GuardedStore?
    }

    /// The longest wait between connection attempts: a server that is back is noticed within this time.
    private static let longestWait = Duration.seconds(1)
    /// How long a subscribed connection may be silent before it is checked with a ping.
    private static let longestQuiet = Duration.milliseconds(500)
    /// How long reconnection continues after the last call.
    private static let reconnectPeriod = Duration.seconds(60)

    let feed = ChangeFeed()
    private let state = Locked(State())
    private let connector: ValkeyConnector
    private let hello: RESPCommand
    private let timeout: Duration
    private let clock: CallClock
    private let timers: TimerQueue
    private let random = Jitter(seed: nil)

    init(_ connector: ValkeyConnector, _ hello: RESPCommand, timeout: Duration, clock: CallClock) {
        (self.connector, self.hello, self.timeout, self.clock) = (connector, hello, timeout, clock)
        timers = TimerQueue(clock)
    }

    deinit {
        if case .open(let session) = state.withLock(\.stage) { session.close(.unreachable, "the store was dropped") }
    }

    /// How long a server may be silent while replies are pending, and how long its handshake may take.
    private var silence: Duration { max(timeout * 3, .seconds(1)) }

    // MARK: - Calls

    /// Sends a command and waits for its reply until the timeout; also throws for an error reply of the server.
    func call(_ command: RESPCommand) async throws(SharedStoreError) -> RESPValue {
        try accept(try await exchange(command, until: clock.time(after: timeout)))
    }

    /// Runs a script by its digest; a server that does not know it yet gets the full text.
    func run(
        _ script: ValkeyScript,
        _ keys: [String],
        _ arguments: [RESPCommand.Part]
    ) async throws(SharedStoreError) -> RESPValue {
        let limit = clock.time(after: timeout)
        let reply = try await exchange(script.command(keys, arguments), until: limit)
        guard case .error(let text) = reply, text.hasPrefix("NOSCRIPT") else { return try accept(reply) }
        return try accept(try await exchange(script.command(keys, arguments, inFull: true), until: limit))
    }

    /// Repeats background work until it is done, the time is over or the store is released; it pauses while the server is
    /// considered unavailable.
    func repeating(for time: Duration, _ work: @escaping @Sendable (ValkeyConnection) async -> Bool) {
        clock.repeating(until: clock.time(after: time)) { [weak self] in
            guard let self else { return true }
            if self.guarded?.isUnavailable == true { return false }
            return await work(self)
        }
    }

    private func exchange(_ command: RESPCommand, until limit: Duration) async throws(SharedStoreError) -> RESPValue {
        let (call, timeout) = (ValkeyCall(command), timeout)
        let ticket = timers.set(at: limit) { call.fail(.timedOut, "the store took longer than \(timeout)") }
        defer { timers.cancel(ticket) }
        submit(call)
        return try await call.reply()
    }

    private func accept(_ reply: RESPValue) throws(SharedStoreError) -> RESPValue {
        guard case .error(let text) = reply else { return reply }
        let refusal = SharedStoreError(reply: text)
        // A new connection may reach a server that accepts the command.
        if text.prefix(while: { $0 != " " }) == "READONLY", case .open(let session) = state.withLock(\.stage) {
            session.close(refusal.code, refusal.message)
        }
        throw refusal
    }

    private func submit(_ call: ValkeyCall) {
        let (session, connects, refusal) = state.withLock { state -> (ValkeySession?, Bool, SharedStoreError?) in
            state.calledAt = clock.now
            switch state.stage {
            case .open(let session) where session.end == nil: return (session, false, nil)
            case .connecting(let calls):
                state.stage = .connecting(calls + [call])
                return (nil, false, nil)
            case .idle, .open:
                if let refusal = state.refusal, clock.now < state.refusedUntil { return (nil, false, refusal) }
                state.stage = .connecting([call])
                return (nil, true, nil)
            }
        }
        session?.send(call)
        if connects { connect() }
        if let refusal { call.fail(refusal.code, refusal.message) }
    }

    // MARK: - Connections

    private func connect() {
        _ = Task<Void, Never>.detached { [self] in
            do throws(SharedStoreError) { opened(try await makeSession()) } catch { failed(error) }
        }
    }

    private func makeSession() async throws(SharedStoreError) -> ValkeySession {
        let stream: DuplexStream
        do { stream = try await connector.open() } catch {
            throw error as? SharedStoreError
                ?? SharedStoreError(.unreachable, "no connection to the store: \(error)")
        }
        let session = ValkeySession(
            stream,
            executor: connector.executor,
            clock: clock,
            timers: timers,
            silence: silence,
            onPush: { [weak self] in self?.handlePush($0) },
            onLate: { [weak self] in self?.probe() }
        )
        session.start { [weak self, weak session] in self?.lost(session) }
        let hello = ValkeyCall(hello)
        let ticket = timers.set(at: clock.time(after: silence)) { hello.fail(.timedOut, "no reply to the greeting") }
        session.send(hello)
        do throws(SharedStoreError) {
            defer { timers.cancel(ticket) }
            try await hello.reply().checkHello()
        } catch {
            session.close(error.code, error.message)
            // A new error without `mayBeDone`: only the handshake was sent.
            throw SharedStoreError(error.code, error.message)
        }
        return session
    }

    private func opened(_ session: ValkeySession) {
        let calls = state.withLock { state -> [ValkeyCall] in
            guard case .connecting(let calls) = state.stage else { return [] }
            (state.stage, state.failures, state.tracked, state.confirmed) = (.open(session), 0, [], [])
            return calls
        }
        // Before the calls: if the server has lost data, the notice of that arrives before any reply.
        for prefix in feed.prefixes { track(prefix) }
        for call in calls where !call.isOver { session.send(call) }
        // The session may have ended before it was in use.
        if session.end != nil { return lost(session) }
        probe()
    }

    /// Sets the guard, which holds this connection.
    func watch(_ guarded: GuardedStore) { state.withLock { $0.guarded = guarded } }

    private var guarded: GuardedStore? { state.withLock(\.guarded) }

    /// Checks in the background whether a server that sent something responds within the timeout again.
    private func probe() {
        guard guarded?.isUnavailable == true else { return }
        let begins = state.withLock { state in
            defer { state.isProbed = true }
            return !state.isProbed
        }
        guard begins else { return }
        _ = Task<Void, Never>.startSeparately { [self] in
            let isThere = (try? await call(RESPCommand(["PING"]))) != nil
            state.withLock { $0.isProbed = false }
            if isThere { guarded?.noteBack() }
        }
    }

    private func failed(_ error: SharedStoreError) {
        let calls = state.withLock { state -> [ValkeyCall] in
            guard case .connecting(let calls) = state.stage else { return [] }
            state.stage = .idle
            state.failures += 1
            // Repeating a rejected password with each call is pointless.
            state.refusal = error.isUnavailable ? nil : error
            state.refusedUntil = clock.now + ValkeyConnection.longestWait
            return calls
        }
        for call in calls { call.fail(error.code, error.message) }
        connectLater()
    }

    private func lost(_ session: ValkeySession?) {
        let wasInUse = state.withLock { state in
            guard case .open(let current) = state.stage, current === session else { return false }
            (state.stage, state.tracked, state.confirmed) = (.idle, [], [])
            return true
        }
        if wasInUse { connectLater() }
    }

    /// Schedules a reconnection: subscribers make no calls that would trigger one, and later calls should not wait.
    private func connectLater() {
        guard isWanted else { return }
        let wait = state.withLock { state -> Duration? in
            guard case .idle = state.stage, !state.isScheduled else { return nil }
            state.isScheduled = true
            let window = Duration.milliseconds(50).doubled(min(state.failures, 16), upTo: ValkeyConnection.longestWait)
            return window * (0.5 + random.next() / 2)
        }
        guard let wait else { return }
        _ = timers.set(at: clock.time(after: wait)) { [weak self] in self?.connectAgain() }
    }

    private var isWanted: Bool {
        !feed.prefixes.isEmpty || clock.now - state.withLock(\.calledAt) < ValkeyConnection.reconnectPeriod
    }

    private func connectAgain() {
        let isWanted = isWanted
        let begins = state.withLock { state in
            state.isScheduled = false
            guard case .idle = state.stage, isWanted else { return false }
            state.stage = .connecting([])
            return true
        }
        if begins { connect() }
    }

    // MARK: - Changes

    /// Subscribes to the changes of a kind; returns whether there already is a subscription: a new subscriber then gets
    /// `.all` at once.
    func listen(_ prefix: String) -> Bool {
        let (isSubscribed, isOpen, begins) = state.withLock { state in
            switch state.stage {
            case .open: return (state.confirmed.contains(prefix), true, false)
            case .connecting: return (false, false, false)
            case .idle:
                guard !state.isScheduled else { return (false, false, false) }
                state.stage = .connecting([])
                return (false, false, true)
            }
        }
        if isOpen { track(prefix) }
        if begins { connect() }
        return isSubscribed
    }

    /// Requests change notices from the server; once it confirms, everything read before counts as outdated.
    private func track(_ prefix: String) {
        let session = state.withLock { state -> ValkeySession? in
            guard case .open(let session) = state.stage, state.tracked.insert(prefix).inserted else { return nil }
            return session
        }
        guard let session else { return }
        let call = ValkeyCall(RESPCommand(["CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", .text(prefix)]))
        session.send(call)
        _ = Task<Void, Never>.startSeparately { [weak self] in
            guard let reply = try? await call.reply(), let self else { return }
            guard case .error(let text) = reply else { return self.confirmTracking(prefix, over: session) }
            let refusal = SharedStoreError(reply: text)
            if refusal.code == .unreachable {
                // A later connection may succeed.
                session.close(refusal.code, refusal.message)
            } else {
                // Without the right to receive changes, the stream ends.
                self.feed.finish(prefix)
            }
        }
    }

    private func confirmTracking(_ prefix: String, over session: ValkeySession) {
        let isFirst = state.withLock { state in
            guard case .open(let current) = state.stage, current === session else { return false }
            defer { state.confirmed.insert(prefix) }
            return state.confirmed.isEmpty
        }
        feed.notifyAll(prefix)
        if isFirst { scheduleHeartbeat(session) }
    }

    /// Pings a silent server, so that subscribers notice when it is gone without closing the connection.
    private func scheduleHeartbeat(_ session: ValkeySession) {
        _ = timers.set(at: clock.time(after: ValkeyConnection.longestQuiet)) { [weak self, weak session] in
            guard let self, let session, session.end == nil else { return }
            if session.isQuiet(for: ValkeyConnection.longestQuiet), !self.feed.prefixes.isEmpty {
                session.send(ValkeyCall(RESPCommand(["PING"])))
            }
            // Continues without subscribers, because later ones use the same connection.
            self.scheduleHeartbeat(session)
        }
    }

    private func handlePush(_ items: [RESPValue]) {
        guard items.first?.string == "invalidate", items.count == 2 else { return }
        guard case .array(let keys) = items[1] else { return feed.notifyAll() }
        for text in keys.compactMap(\.string) where text.hasSuffix(":" + ValkeyStore.Part.value.rawValue) {
            if let key = SharedKey(text: text) { feed.notify(key) }
        }
    }
}
