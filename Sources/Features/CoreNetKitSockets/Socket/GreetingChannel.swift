import CoreNetKitChain
import CoreNetKitSystem

/// Reads a connection on behalf of a greeting, before the socket's reader runs; messages that are not replies are passed to the
/// inbox afterwards.
final class GreetingChannel: Sendable {
    /// Sends what goes over a connection before all other messages, and returns the step at which the socket's reader continues.
    typealias Greeting = @Sendable (GreetingChannel) async throws -> SocketLink.Step

    enum Decision<Found> {
        case found(Found)
        /// It is left for the reader of the socket.
        case passed
        case dropped
    }

    private struct State: Sendable {
        /// Messages for the reader, unless one turns out to be a reply.
        var messages: [SocketMessage] = []
        var inspected = 0
        var step = SocketLink.Step.receive
        var isReading = false
        var isOver = false
    }

    let resume: SocketResume
    let link: SocketLink
    private let core: SocketCore
    private let capacity: Int
    private let state = Locked(State())

    init(_ link: SocketLink, _ resume: SocketResume, _ core: SocketCore) {
        (self.link, self.resume, self.core) = (link, resume, core)
        capacity = max(1, core.options.inbox)
    }

    var node: NodeID { core.node }

    func run(within length: Duration, _ greet: @escaping @Sendable () async throws -> Void) async throws {
        let (clock, node) = (core.parts.clock, node)
        do {
            try await Waiter<Void>.value(of: greet, until: clock.time(after: length), on: clock) {
                .socket(SocketError(.noReply, "the greeting got no reply within \(length)"), node: node)
            }
        } catch {
            _ = end()
            throw error
        }
        guard end() else { throw misuse("a greeting ended while one of its tasks was still reading") }
    }

    func send(_ message: SocketMessage) async throws {
        if state.withLock({ $0.isOver }) { throw misuse("the greeting is over: use the socket") }
        try await link.send(message)
    }

    /// Inspects one message after another until one is found.
    func first<Found>(_ decide: (SocketMessage) throws -> Decision<Found>) async throws -> Found {
        try begin()
        defer { state.withLock { $0.isReading = false } }
        while true {
            while let message = state.withLock({ $0.inspected < $0.messages.count ? $0.messages[$0.inspected] : nil }) {
                let decision = try decide(message)
                if case .passed = decision {
                    try pass()
                } else {
                    state.withLock { _ = $0.messages.remove(at: $0.inspected) }
                }
                if case .found(let found) = decision { return found }
            }
            switch state.withLock({ $0.step }) {
            case .receive: advance(to: await link.receive(self))
            case .full: advance(to: link.resumeReading(self))
            case .broken(let fault): throw failure(of: link.abort(fault))
            case .ended(let end): throw failure(of: end)
            }
            // A cancelled wait looks like the end of the connection.
            try Task.checkCancellation()
        }
    }

    /// Ends sending and reading here; returns whether no read was in progress.
    private func end() -> Bool {
        state.withLock { state in
            state.isOver = true
            return !state.isReading
        }
    }

    /// Passes the messages that were not replies to the socket's reader; returns the step at which it continues.
    func handOver() -> SocketLink.Step {
        let (messages, step) = state.withLock { ($0.messages, $0.step) }
        for message in messages { _ = core.inbox.add(message) }
        return step
    }

    private func misuse(_ words: String) -> NetworkError { NetworkError(.invalidRequest, words, node: node) }

    private func begin() throws {
        let problem = state.withLock { state -> String? in
            if state.isOver { return "the greeting is over: read the socket" }
            if state.isReading { return "a greeting waits for one reply at a time" }
            state.isReading = true
            return nil
        }
        if let problem { throw misuse(problem) }
    }

    private func advance(to step: SocketLink.Step) { state.withLock { $0.step = step } }

    private func pass() throws {
        let passed = state.withLock { state in
            state.inspected += 1
            return state.inspected
        }
        guard passed > capacity else { return }
        let words = "too many messages came before the reply to the greeting; raise `inbox`"
        throw NetworkError(.responseTooLarge, words, node: node)
    }

    private func failure(of end: LinkEnd) -> NetworkError {
        if let failure = end.failure { return failure }
        let words = "the other side closed the socket with code \(end.close.code) before the greeting was over"
        return .socket(SocketError(.closed, words, close: end.close), node: node)
    }
}

extension GreetingChannel: SocketLink.Listener {
    func take(_ message: SocketMessage) -> Bool {
        state.withLock { state in
            state.messages.append(message)
            return state.messages.count - state.inspected < capacity
        }
    }

    /// A greeting does not wait for room.
    func wake() {}

    func note(_ change: (inout SocketStatistics) -> Void) { core.note(isGreeting: true, change) }
}

/// A connection during its greeting: until the closure returns, only the greeting sends and reads on it.
public struct SocketGreeting<In: Sendable, Out: Sendable>: Sendable {
    let channel: GreetingChannel
    let read: @Sendable (SocketMessage) throws -> In
    let write: @Sendable (Out) throws -> SocketMessage
    let rules: SocketRules<In, Out>

    /// What is known of the connection.
    public var resume: SocketResume { channel.resume }

    /// Sends a message; throws as ``Socket/send(_:)``.
    public func send(_ message: Out) async throws {
        try await channel.send(try NetworkError.mapping(to: .encodingFailed, node: channel.node) { try write(message) })
    }

    /// Waits for a reply.
    ///
    /// Other messages are left for the reader of the socket, in their order; no more than ``SocketOptions/inbox``. The reader
    /// does not get the reply. An error that `isReply` throws ends the greeting, unless it is caught.
    /// - Throws: `NetworkError` as ``Socket/Iterator/next()``, and for a close with any code, with a ``SocketError`` as its
    ///   cause; `responseTooLarge` for too many other messages; `CancellationError`.
    @discardableResult
    public func reply(where isReply: @Sendable (In) throws -> Bool = { _ in true }) async throws -> In {
        try await channel.first { message in
            switch rules.interpretation(of: message, read, at: channel.node) {
            case .model(let model): return try isReply(model) ? .found(model) : .passed
            case .failure(let failure, _): throw failure
            case .skipped:
                channel.note { $0.skipped += 1 }
                return .dropped
            }
        }
    }
}
