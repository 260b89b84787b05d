public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitWire

extension UrlChainsBuilder {
    /// Builds a chain that opens a WebSocket with messages as models.
    ///
    /// The handshake is a GET through all policies; each connection is a call of its own. A limit on concurrent calls does not
    /// count sockets, which are long-lived. The route may begin with `ws` or `wss`.
    public func socket<In: Sendable, Out: Sendable>(
        reading: SocketReading<In>,
        writing: SocketWriting<Out>,
        _ options: SocketOptions = .init()
    ) -> Chain<Void, Socket<In, Out>> {
        // Nothing is offered without zlib.
        let deflate = MessageCodec.isAvailable ? options.compression : nil
        let offer = SocketHandshake.Offer(
            protocols: options.protocols,
            deflate: deflate.map { (windowBits: min(max($0.windowBits, 9), 15), keepsContext: $0.keepsContext) }
        )
        let builder = toSocket.without(.limit).with(SocketHandshakePolicy(offer: offer))
        let handshake = Reading.by(delivery: .duplex) { try SocketResponse($0) }
        let connections = builder.build(sending: .nothing, reading: handshake)
        let setup = SocketSetup(options, configuration.parts)
        let (read, write) = (reading.make(coding), writing.make(coding))
        // The chain below is one like those of the connections, for diagrams.
        let node = AnyNode<Void, Socket<In, Out>>("SocketNode", successors: [connections.head]) { _, context in
            let (rules, user) = (context.attributes[SocketRules<In, Out>.self] ?? SocketRules(), context.user)
            let core = SocketCore(
                setup,
                user: user,
                greeting: rules.greeting(read, write),
                decide: rules.decide
            ) { try await connections.process((), continuing: user) }
            let socket = Socket(handle: .init(core), read: read, write: write, rules: rules)
            try await core.open()
            return socket
        }
        // The calls of the connections have their own records and deadlines.
        var callOptions = connections.options
        (callOptions.listeners.log, callOptions.listeners.feeds) = (nil, [])
        callOptions.deadline = .inherited
        return Chain(head: node, options: callOptions)
    }

    /// Builds a chain that opens a WebSocket with messages as they are.
    public func rawSocket(_ options: SocketOptions = .init()) -> Chain<Void, Socket<SocketMessage, SocketMessage>> {
        socket(reading: .message, writing: .message, options)
    }
}

// Settings of a socket that are made before it is opened.
extension Chain {
    /// Sends messages over each connection before all others: to log in, to subscribe again.
    ///
    /// The closure is called after the messages of the previous connection were read: when the reader has taken the last one
    /// and asks for more, or after five seconds. So a message that says where to resume neither misses nor repeats anything. An
    /// error that the closure throws ends the socket.
    public func resuming<In, Out>(
        _ messages: @escaping @Sendable (SocketResume) async throws -> [Out]
    ) -> Chain where Output == Socket<In, Out> { changingRules { $0.firstMessages = messages } }

    /// Exchanges messages over each connection before all others: to log in, or as `graphql-transport-ws` requires.
    ///
    /// When the closure has returned, the socket is open and streams that resume subscribe again; the messages of
    /// ``resuming(_:)`` follow it. A failed greeting is a failed connection: for the first one, the chain's call fails with the
    /// error; for later ones ``SocketReconnection`` and ``reconnecting(after:)`` decide, as they do on a close. A first
    /// connection whose close means ``SocketDecision/renewToken`` is retried once.
    ///
    /// After the limit, by the clock of the socket, a greeting is cancelled, and the connection ends with the code `timedOut`
    /// and the cause ``SocketError/Code/noReply``.
    public func greeting<In, Out>(
        within limit: Duration = .seconds(10),
        _ greet: @escaping @Sendable (SocketGreeting<In, Out>) async throws -> Void
    ) -> Chain where Output == Socket<In, Out> { changingRules { $0.greeting = (limit, greet) } }

    /// Ends a socket with the code `reportedByServer` when a message reports an error, which becomes the cause.
    public func failing<In, Out>(
        on isError: @escaping @Sendable (In) -> (any Error)?
    ) -> Chain where Output == Socket<In, Out> { changingRules { $0.failures.append(isError) } }

    /// Decides what follows a close, if ``SocketOptions/reconnection`` allows new connections; `nil` leaves it to its rules.
    public func reconnecting<In, Out>(
        after decide: @escaping @Sendable (SocketClose) -> SocketDecision?
    ) -> Chain where Output == Socket<In, Out> { changingRules { $0.decide = decide } }

    /// Skips messages that cannot be decoded, and counts them, instead of failing.
    public func skippingUnreadable<In, Out>() -> Chain where Output == Socket<In, Out> {
        changingRules { $0.skipsUnreadable = true }
    }

    private func changingRules<In, Out>(
        _ change: @escaping @Sendable (inout SocketRules<In, Out>) -> Void
    ) -> Chain where Output == Socket<In, Out> {
        let node = AnyNode<Input, Output>("SocketRulesNode", successors: [head]) { [head] input, context in
            var context = context
            var rules = context.attributes[SocketRules<In, Out>.self] ?? SocketRules()
            change(&rules)
            context.attributes[SocketRules<In, Out>.self] = rules
            return try await head.process(input, context: context)
        }
        return Chain(head: node, options: options)
    }
}

extension Chain where Input == Void {
    /// Opens a socket and passes its messages to an observer, one after another; cancelling it closes the socket.
    ///
    /// It ends with an error, or silently after a normal close. A listener gets messages from the time it subscribes, plus the
    /// newest earlier one: subscribe at once.
    public func messages<In, Out>() -> Observer<In> where Output == Socket<In, Out> {
        let context = Context<In>(deliverOn: options.queue)
        let task = Task.detached(priority: options.priority) {
            do {
                for try await message in try await run(()) { context.emit(data: message) }
                context.finish()
            } catch is CancellationError {
                context.cancel()
            } catch {
                context.complete(error: error)
            }
        }
        context.onCancel { task.cancel() }
        return context
    }
}
