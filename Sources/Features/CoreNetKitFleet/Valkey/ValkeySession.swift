import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import Synchronization

/// One connection with pipelined commands; replies arrive in the order of the commands.
///
/// Commands that are sent while a write is in progress leave together in the next write.
final class ValkeySession: Sendable {
    /// The most bytes that may wait to be sent; more commands are refused with an error.
    private static let room = 64 << 20
    /// The most bytes in one write: each completed write shows that the server is alive.
    private static let piece = 1 << 20

    private struct State: Sendable {
        var outbox = Data()
        var isFlushing = false
        var pending = Fifo<ValkeyCall>()
        var end: SharedStoreError?
        /// When bytes were last received or sent, or when the first pending call began to wait.
        var lastReceivedAt = Duration.zero
        var isWatched = false
    }

    private let state = Locked(State())
    private let stream: DuplexStream
    /// The connection's executor, if there is one: sending and reading then wake no other thread.
    private let executor: (any TaskExecutor)?
    private let clock: CallClock
    private let timers: TimerQueue
    /// How long a server may be silent while replies are pending.
    private let silence: Duration
    private let onPush: @Sendable ([RESPValue]) -> Void
    /// Called for a reply whose call has already ended.
    private let onLate: @Sendable () -> Void

    init(
        _ stream: DuplexStream,
        executor: (any TaskExecutor)?,
        clock: CallClock,
        timers: TimerQueue,
        silence: Duration,
        onPush: @escaping @Sendable ([RESPValue]) -> Void,
        onLate: @escaping @Sendable () -> Void
    ) {
        (self.stream, self.executor, self.clock, self.timers) = (stream, executor, clock, timers)
        (self.silence, self.onPush, self.onLate) = (silence, onPush, onLate)
    }

    /// Whether nothing was received for a time and no reply is pending.
    func isQuiet(for length: Duration) -> Bool {
        state.withLock { $0.pending.isEmpty && clock.now - $0.lastReceivedAt >= length }
    }

    var end: SharedStoreError? { state.withLock(\.end) }

    /// Reads until the connection ends; then calls `ended` once.
    func start(ended: @escaping @Sendable () -> Void) {
        _ = Task<Void, Never>.detached(executorPreference: executor) { [self] in
            var reader = RESPReader()
            do {
                while let bytes = try await stream.receive() { try take(bytes, &reader) }
                close(.unreachable, "the store has ended the connection")
            } catch let fault as RESPError {
                let question = "is this the port of a Valkey or Redis server, and does it expect TLS or not?"
                close(.unreachable, "\(fault): \(question)")
            } catch {
                close(.unreachable, "the connection to the store was lost: \(error)")
            }
            ended()
        }
    }

    private func take(_ bytes: Data, _ reader: inout RESPReader) throws(RESPError) {
        reader.append(bytes)
        state.withLock { $0.lastReceivedAt = clock.now }
        while let reply = try reader.next() {
            if case .push(let items) = reply {
                onPush(items)
            } else if let call = state.withLock({ $0.pending.popFirst() }) {
                if !call.succeed(reply) { onLate() }
            } else {
                close(.unreachable, "the store has sent an unexpected reply")
            }
        }
    }

    func send(_ call: ValkeyCall) {
        let (begins, isWatched, end) = state.withLock { state -> (Bool, Bool, SharedStoreError?) in
            if let end = state.end { return (false, true, end) }
            guard state.outbox.count <= ValkeySession.room else {
                return (false, true, SharedStoreError(.unreachable, "the store does not read the commands"))
            }
            if state.pending.isEmpty { state.lastReceivedAt = clock.now }
            call.send()
            state.outbox.append(call.bytes)
            state.pending.append(call)
            defer { (state.isFlushing, state.isWatched) = (true, true) }
            return (!state.isFlushing, state.isWatched, nil)
        }
        if let end { return call.fail(end.code, end.message) }
        if begins { Task(executorPreference: executor) { [self] in await flush() } }
        if !isWatched { watch(from: clock.now) }
    }

    private func flush() async {
        while let bytes = takeOutbox() {
            do {
                var left = bytes[...]
                while !left.isEmpty {
                    try await stream.send(left.prefix(ValkeySession.piece))
                    left = left.dropFirst(ValkeySession.piece)
                    state.withLock { $0.lastReceivedAt = clock.now }
                }
            } catch {
                return close(.unreachable, "the connection to the store was lost: \(error)")
            }
        }
    }

    private func takeOutbox() -> Data? {
        state.withLock { state in
            state.isFlushing = !state.outbox.isEmpty && state.end == nil
            guard state.isFlushing else { return nil }
            defer { state.outbox = Data() }
            return state.outbox
        }
    }

    /// Closes the session if the server stays silent: lost packets cause no other error.
    private func watch(from time: Duration) {
        _ = timers.set(at: time + silence) { [weak self] in self?.checkSilence() }
    }

    private func checkSilence() {
        let lastReceivedAt = state.withLock { state -> Duration? in
            guard !state.pending.isEmpty, state.end == nil else {
                state.isWatched = false
                return nil
            }
            return state.lastReceivedAt
        }
        guard let lastReceivedAt else { return }
        guard clock.now - lastReceivedAt >= silence else { return watch(from: lastReceivedAt) }
        close(.unreachable, "the store has sent nothing for \(silence)")
    }

    /// Ends the connection; pending calls fail with the reason.
    func close(_ code: SharedStoreError.Code, _ message: String) {
        var calls = state.withLock { state in
            guard state.end == nil else { return Fifo<ValkeyCall>() }
            state.end = SharedStoreError(code, message)
            defer { (state.pending, state.outbox) = (Fifo(), Data()) }
            return state.pending
        }
        while let call = calls.popFirst() { call.fail(code, message) }
        stream.close()
    }
}

/// A command and its pending reply.
final class ValkeyCall: Sendable {
    let bytes: Data
    private let waiter = Waiter<RESPValue>()
    private let wasSent = Atomic(false)

    init(_ command: RESPCommand) { bytes = command.bytes }

    /// Whether the server may have received the command or a part of it.
    var mayBeSent: Bool { wasSent.load(ordering: .acquiring) }

    /// Whether the call has ended, so that its reply is no longer needed.
    var isOver: Bool { waiter.outcome != nil }

    func send() { wasSent.store(true, ordering: .releasing) }

    /// Returns whether the call was still waiting for its reply.
    func succeed(_ reply: RESPValue) -> Bool { waiter.resume(.success(reply)) }

    /// Ends the call with an error, which says whether the server may have executed the command.
    func fail(_ code: SharedStoreError.Code, _ message: String) {
        waiter.resume(.failure(SharedStoreError(code, message, mayBeDone: mayBeSent)))
    }

    func reply() async throws(SharedStoreError) -> RESPValue {
        do { return try await waiter.value() } catch {
            throw error as? SharedStoreError
                ?? SharedStoreError(.cancelled, "the task was cancelled", mayBeDone: mayBeSent)
        }
    }
}
