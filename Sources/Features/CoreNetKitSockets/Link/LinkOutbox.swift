import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
import Synchronization

/// The send queue of one connection: messages in order; pings and pongs go before waiting messages; a task writes until it is
/// empty, and an idle socket has none.
final class LinkOutbox: Sendable {
    private struct State {
        var messages = Fifo<OutgoingMessage>()
        var pings: [Data] = []
        /// The newest pongs: an endpoint may answer only the most recent pings (RFC 6455, 5.5.3).
        var pongs: [Data] = []
        var close: Data?
        /// Whether a close was added: nothing may follow it.
        var isEnding = false
        var isWriting = false
        /// When bytes were last written while more of the queue remained.
        var movedAt: Duration?
        /// The timers of cancelled messages that are being written.
        var timers: [Waiter<Void>: TimerQueue.TimerID] = [:]
        /// Why nothing more is sent: a `NetworkError`, boxed because it is large and rare.
        var failure: (any Error)?
    }

    /// A message, and its sender, who is suspended until the operating system has accepted it.
    private struct OutgoingMessage {
        let content: Data
        let isText: Bool
        let sender: Waiter<Void>
    }

    private struct Batch {
        var frames: [SocketFrame] = []
        var messages: [OutgoingMessage] = []
        var isCut = false
    }

    private static let pongLimit = 16
    /// How long the write of a cancelled message may still take: the system accepts most of them at once.
    private static let cancelTimeout = Duration.milliseconds(100)
    /// The size of one write, small enough to show progress.
    private static let piece = 256 << 10

    private let duplex: DuplexStream
    private let setup: SocketSetup
    private let deflate: DeflateAgreement?
    /// Only the writing task uses it; created for the first message that is large enough, because it takes much memory.
    private let deflater: Locked<MessageCodec?>?
    private let state = Locked(State())
    /// When the current write began, by the clock of keep-alives.
    private let since = Atomic<Int64>(0)
    private let record: OpenExchange?
    private let sent: @Sendable (_ messages: Int, _ bytes: Int) -> Void

    init(
        _ duplex: DuplexStream,
        _ setup: SocketSetup,
        _ deflate: DeflateAgreement?,
        _ record: OpenExchange?,
        sent: @escaping @Sendable (Int, Int) -> Void
    ) {
        (self.duplex, self.setup, self.deflate, self.record, self.sent) = (duplex, setup, deflate, record, sent)
        deflater = deflate.map { _ in Locked(nil) }
    }

    private var node: NodeID { setup.node }

    /// When bytes were last written while more remained, which shows that the peer is reading (`nil` if none were); and since
    /// when bytes have been waiting to be written (`nil` if none are).
    var progress: (movedAt: Duration?, waitsSince: Duration?) {
        let since = Duration.nanoseconds(since.load(ordering: .relaxed))
        return state.withLock { ($0.movedAt, $0.isWriting ? since : nil) }
    }

    /// Sends a message; throws `NetworkError`, its `isSafeToResend` true if no byte of the message can have been sent, and
    /// `CancellationError` when the task was cancelled and the message was not sent completely.
    ///
    /// `cut` ends the connection if a cancelled message is partly written and the peer does not read; `nil` keeps it.
    func send(_ message: SocketMessage, cut: (@Sendable () -> Void)?) async throws {
        let sender = Waiter<Void>()
        let message = OutgoingMessage(content: message.bytes, isText: message.isText, sender: sender)
        let failure = state.withLock { state -> (any Error)? in
            guard state.failure == nil, !state.isEnding else {
                let error = SocketError(.notOpen, "the socket is closing: nothing can be sent")
                return state.failure ?? NetworkError.socket(error, node: node)
            }
            state.messages.append(message)
            return nil
        }
        if let failure { throw (failure as? NetworkError)?.unsent ?? failure }
        write()
        if let outcome = sender.outcome { return try outcome.get() }
        defer {
            if Task.isCancelled, let timer = state.withLock({ $0.timers.removeValue(forKey: sender) }) {
                setup.parts.timers.cancel(timer)
            }
        }
        try await withTaskCancellationHandler {
            try await sender.result()
        } onCancel: {
            cancel(sender, cut)
        }
    }

    /// Withdraws a waiting message; one that is being written is completed, or ends the connection.
    private func cancel(_ sender: Waiter<Void>, _ cut: (@Sendable () -> Void)?) {
        if state.withLock({ $0.messages.remove { $0.sender === sender } }) {
            sender.resume(.failure(CancellationError()))
            return
        }
        guard let cut, sender.outcome == nil else { return }
        let parts = setup.parts
        let timer = parts.timers.set(at: parts.clock.time(after: Self.cancelTimeout)) {
            if sender.resume(.failure(CancellationError())) { cut() }
        }
        state.withLock { $0.timers[sender] = timer }
    }

    func ping(_ content: Data) {
        state.withLock { if !$0.isEnding { $0.pings.append(content) } }
        write()
    }

    func pong(_ content: Data) {
        state.withLock { state in
            guard !state.isEnding else { return }
            if state.pongs.count == Self.pongLimit { state.pongs.removeFirst() }
            state.pongs.append(content)
        }
        write()
    }

    /// Queues a close after the waiting messages; only the first close counts.
    func close(_ content: Data) {
        state.withLock { state in
            guard !state.isEnding else { return }
            (state.isEnding, state.close) = (true, content)
        }
        write()
    }

    /// Ends the queue: nothing more is sent except a queued close, and senders get the failure.
    func end(_ failure: NetworkError) {
        let waiting = state.withLock { state in
            if state.failure == nil { state.failure = failure }
            (state.pings, state.pongs) = ([], [])
            return state.messages.takeAll()
        }
        for message in waiting { message.sender.resume(.failure(failure.unsent)) }
    }

    // MARK: - Writing

    private func write() {
        let begins = state.withLock { state in
            guard !state.isWriting, state.failure == nil else { return false }
            state.isWriting = true
            return true
        }
        guard begins else { return }
        Task.startImmediately { [self] in
            while let batch = takeBatch() {
                let (bytes, isWhole) = encoded(batch)
                do {
                    guard isWhole else {
                        let message = "a message could not be compressed: there is no memory for it"
                        throw NetworkError(.nodeFailed, message, node: node)
                    }
                    // Before they are written, so that the replies are recorded after them.
                    if let record, record.keepsMessages {
                        for message in batch.messages {
                            record.note(message.content, isText: message.isText, isSent: true)
                        }
                    }
                    try await send(bytes, isCut: batch.isCut)
                    sent(batch.messages.count, bytes.count)
                    record?.note { socket in
                        socket.messagesSent += batch.messages.count
                        socket.bytesSent += Int64(bytes.count)
                    }
                    for message in batch.messages { message.sender.resume(.success(())) }
                } catch {
                    let failure = failure(of: error)
                    end(failure)
                    for message in batch.messages { message.sender.resume(.failure(failure)) }
                    // The reader sees the end and reports it.
                    duplex.close()
                }
            }
        }
    }

    private func send(_ bytes: Data, isCut: Bool) async throws {
        var rest = bytes
        let isWatched = setup.options.keepAlive != nil
        while !rest.isEmpty {
            let piece = rest.prefix(Self.piece)
            rest = rest.dropFirst(piece.count)
            if isWatched { since.store(setup.parts.clock.now.wholeNanoseconds, ordering: .relaxed) }
            try await duplex.send(piece)
            guard isCut || !rest.isEmpty else { return }
            let now = setup.parts.clock.now
            state.withLock { $0.movedAt = now }
        }
    }

    /// Why a batch was not sent: the failure that ended the connection if it is known, else that of the write.
    private func failure(of error: any Error) -> NetworkError {
        let cut = SocketError(.cut, "the connection ended while a message was sent")
        let write = NetworkError.wrapping(error, node: node) ?? .socket(cut, node: node)
        let known = state.withLock { state in
            state.close = nil
            return state.failure as? NetworkError
        }
        guard var failure = known else { return write }
        failure.isSafeToResend = write.isSafeToResend
        return failure
    }

    private func takeBatch() -> Batch? {
        state.withLock { state in
            guard state.failure == nil else {
                // After a failure only the current writer continues, up to a queued close; no new one starts.
                return state.close.take().map { Batch(frames: [SocketFrame(.close, $0)]) }
            }
            var batch = Batch()
            batch.frames = state.pongs.map { SocketFrame(.pong, $0) } + state.pings.map { SocketFrame(.ping, $0) }
            (state.pongs, state.pings) = ([], [])
            let limit = max(1, setup.options.outbox)
            var size = 0
            while let message = state.messages.first {
                guard size == 0 || size + message.content.count <= limit else {
                    batch.isCut = true
                    break
                }
                size += message.content.count + 14
                batch.messages.append(message)
                _ = state.messages.popFirst()
            }
            if !batch.isCut, batch.messages.isEmpty || size < limit, let close = state.close.take() {
                batch.frames.append(SocketFrame(.close, close))
            }
            guard batch.frames.isEmpty, batch.messages.isEmpty else { return batch }
            state.isWriting = false
            return nil
        }
    }

    /// The bytes of a batch: control frames, messages, and a close at the end.
    private func encoded(_ batch: Batch) -> (bytes: Data, isWhole: Bool) {
        var bytes = Data()
        let size = batch.messages.reduce(0) { $0 + $1.content.count + SocketFrame.longestHead }
        if deflate == nil, batch.messages.count > 1 { bytes.reserveCapacity(size) }
        for frame in batch.frames where frame.opcode != .close { frame.append(to: &bytes, mask: .random()) }
        for message in batch.messages {
            var frame = SocketFrame(message.isText ? .text : .binary, message.content)
            if let deflate, message.content.count >= setup.options.compression?.threshold ?? 0 {
                let content = deflater?.withLock { deflater in
                    if deflater == nil { deflater = deflate.deflater(for: .client) }
                    return deflater?.compress(message.content)
                }
                guard let content else { return (bytes, false) }
                (frame.content, frame.isCompressed) = (content, true)
            }
            frame.append(to: &bytes, mask: .random())
        }
        for frame in batch.frames where frame.opcode == .close { frame.append(to: &bytes, mask: .random()) }
        return (bytes, true)
    }
}
