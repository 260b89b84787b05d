public import CoreNetKitChain
import CoreNetKitSystem

/// Requests and responses over one socket, matched by the id of the messages.
///
/// It is the only reader of the socket. A call fails when its connection ends or its deadline passes; unsolicited
/// messages are in ``others``. The socket is closed when this object is released.
public final class SocketCalls<In: Sendable, Out: Sendable, ID: Hashable & Sendable>: Sendable {
    /// Messages without an id, or with one that no call waits for; only the newest are kept until they are read.
    public let others: AsyncStream<In>
    private let socket: Socket<In, Out>
    private let entries: SocketCallEntries<ID, In>
    private let reading: Task<Void, Never>

    /// Starts reading a socket, which no other code may read; `id` finds the id of a message.
    public init(_ socket: Socket<In, Out>, id: @escaping @Sendable (In) -> ID?) {
        let core = socket.handle.core
        let entries = SocketCallEntries<ID, In>(node: core.node)
        let (others, other) = AsyncStream.makeStream(of: In.self, bufferingPolicy: .bufferingNewest(256))
        (self.socket, self.entries, self.others) = (socket, entries, others)
        core.onConnection(lost: { entries.lose($0) }, renewed: entries.renew)
        reading = Task.startSeparately {
            var failure: NetworkError?
            do {
                for try await message in socket {
                    if let id = id(message), entries.deliver(message, to: id) { continue }
                    other.yield(message)
                }
            } catch {
                failure = NetworkError.wrapping(error, node: entries.node)
            }
            entries.lose(failure, isEnd: true)
            other.finish()
        }
    }

    deinit { reading.cancel() }

    /// Sends a message and waits for the one with the same id, until a deadline by the clock of the socket.
    ///
    /// - Throws: `NetworkError` with code `deadlineExceeded`; `connectionLost` when the connection ended first, with
    ///   `isSafeToResend` true only if nothing was sent; `invalidRequest` for an id in use; `CancellationError`.
    public func call(_ id: ID, _ message: Out, deadline: Duration = .seconds(30)) async throws -> In {
        let waiter = Waiter<In>()
        try entries.add(id, .call(waiter))
        defer { entries.remove(id) { if case .call(let other) = $0 { other === waiter } else { false } } }
        let sending = Task.startImmediately { [socket] in
            do {
                // Other calls share the connection: the timeout of one must not end it.
                try await socket.handle.core.send(try socket.encoded(message), cuts: false)
            } catch {
                waiter.resume(.failure(error))
            }
        }
        defer { sending.cancel() }
        let clock = socket.handle.core.parts.clock
        let words = "no message with the id of this call came within \(deadline)"
        let late = NetworkError(.deadlineExceeded, words, node: entries.node)
        return try await waiter.value(until: clock.time(after: deadline), on: clock) { .failure(late) }
    }

    /// Sends a message, and returns all messages with the same id, up to and including the last.
    ///
    /// `leaving` is sent when the reader stops before the last message. If the stream `resumes`, the message is sent again over
    /// each new connection; otherwise the stream fails with its connection. Any stream fails with more than `ahead` unread
    /// messages, and with `invalidRequest` while another call has its id.
    public func stream(
        _ id: ID,
        _ message: Out,
        leaving: Out? = nil,
        resumes: Bool = false,
        ahead: Int = 1024,
        until isLast: @escaping @Sendable (In) -> Bool = { _ in false }
    ) -> AsyncThrowingStream<In, any Error> {
        let policy = AsyncThrowingStream<In, any Error>.Continuation.BufferingPolicy.bufferingOldest(max(1, ahead))
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: In.self, bufferingPolicy: policy)
        let entry: SocketCallStream<In>
        do {
            let encoded = try socket.encoded(message)
            let leaving = try leaving.map { try socket.encoded($0) }
            entry = SocketCallStream(encoded, leaving, resumes: resumes, continuation, isLast)
            try entries.add(id, .stream(entry))
        } catch {
            continuation.finish(throwing: error)
            return stream
        }
        continuation.onTermination = { [entries] _ in
            entries.remove(id) { if case .stream(let other) = $0 { other === entry } else { false } }
            entry.unsubscribe()
        }
        let core = socket.handle.core
        Task.startImmediately {
            do {
                // A stream that resumes and finds no connection sends its request over the next one, as all such streams do.
                if let link = resumes ? try core.currentLink() : try await core.openLink() {
                    await entry.sendRequest(over: link)
                }
            } catch {
                entry.fail(error)
            }
        }
        return stream
    }

    /// Closes the socket, see ``Socket/close()``; waiting calls fail.
    @discardableResult
    public func close() async -> SocketClose { await socket.close() }

    /// Closes the socket with a code, see ``Socket/close(_:_:)``; waiting calls fail.
    @discardableResult
    public func close(_ code: SocketClose.Code, _ reason: String = "") async throws(NetworkError) -> SocketClose {
        try await socket.close(code, reason)
    }
}

/// What waits for messages, by their id: the state that the reading task shares with ``SocketCalls`` without retaining it.
private final class SocketCallEntries<ID: Hashable & Sendable, In: Sendable>: Sendable {
    enum Entry: Sendable {
        case call(Waiter<In>)
        case stream(SocketCallStream<In>)
    }

    let node: NodeID
    private let entries = Locked<[ID: Entry]>([:])

    init(node: NodeID) { self.node = node }

    func add(_ id: ID, _ entry: Entry) throws {
        let isFree = entries.withLock { entries in
            guard entries[id] == nil else { return false }
            entries[id] = entry
            return true
        }
        guard isFree else { throw NetworkError(.invalidRequest, "a call with this id is already running", node: node) }
    }

    func remove(_ id: ID, where isMeant: (Entry) -> Bool) {
        entries.withLock { entries in
            if let entry = entries[id], isMeant(entry) { entries[id] = nil }
        }
    }

    func deliver(_ message: In, to id: ID) -> Bool {
        guard let entry = entries.withLock({ $0[id] }) else { return false }
        switch entry {
        case .call(let waiter):
            entries.withLock { $0[id] = nil }
            return waiter.resume(.success(message))
        case .stream(let stream):
            if stream.take(message, node: node) { entries.withLock { $0[id] = nil } }
            return true
        }
    }

    /// Called when a connection has ended: fails calls, and streams that do not resume.
    func lose(_ failure: NetworkError?, isEnd: Bool = false) {
        let lost = entries.withLock { entries in
            let lost = entries.filter {
                if case .stream(let stream) = $0.value { isEnd || !stream.resumes } else { true }
            }
            for id in lost.keys { entries[id] = nil }
            return lost.values
        }
        let cut = failure ?? .socket(SocketError(.cut, "the connection ended before its response came"), node: node)
        for entry in lost {
            switch entry {
            case .call(let waiter): waiter.resume(.failure(cut))
            case .stream(let stream): stream.fail(cut)
            }
        }
    }

    /// Called on a new connection: streams that resume send their requests again.
    func renew(_ link: SocketLink) {
        let streams = entries.withLock { entries in
            entries.values.compactMap { if case .stream(let stream) = $0, stream.resumes { stream } else { nil } }
        }
        for stream in streams { Task.startImmediately { await stream.sendRequest(over: link) } }
    }
}
