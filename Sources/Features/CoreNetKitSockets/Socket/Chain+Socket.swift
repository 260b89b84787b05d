public import CoreNetKitChain

// What is asked of a socket before there is one.
extension Chain {
    /// Says hello over each connection, before anything else is sent: to log in, to subscribe again.
    ///
    /// It is requested after the messages of the previous connection: when the reader has read them and asks for more,
    /// or has not done so for five seconds. So a hello that says where to resume misses nothing and gets nothing twice.
    /// - Parameter hello: Returns the messages, in order; an error that it throws ends the socket.
    /// - Returns: A changed copy.
    public func resuming<In, Out>(
        _ hello: @escaping @Sendable (SocketResume) async throws -> [Out]
    ) -> Chain where Output == Socket<In, Out> {
        asking { $0.hello = hello }
    }

    /// Greets over each connection and waits for the reply, before anything else is sent: to log in, or as
    /// `graphql-transport-ws` wants it.
    ///
    /// The socket is open, and streams that resume subscribe again, when the closure has returned; what ``resuming(_:)``
    /// says follows it. A greeting that fails is a connection that failed: the chain's call fails with its error; for
    /// later connections ``SocketReconnection`` and ``reconnecting(after:)`` decide, as they do on a close. A first
    /// connection whose close means ``SocketDecision/renewToken`` is made once more.
    /// - Parameters:
    ///   - limit: How long it may take, by the clock of the socket; then it is cancelled, and the connection ends with
    ///     the code `timedOut` and the cause ``SocketError/Code/noReply``.
    ///   - greet: Sends and waits for replies; an error that it throws is the greeting's.
    /// - Returns: A changed copy.
    public func greeting<In, Out>(
        within limit: Duration = .seconds(10),
        _ greet: @escaping @Sendable (SocketGreeting<In, Out>) async throws -> Void
    ) -> Chain where Output == Socket<In, Out> {
        asking { $0.greeting = (limit, greet) }
    }

    /// Ends a socket with an error when a message says that there is one.
    ///
    /// - Parameter isError: The error in a message, `nil` if there is none; the cause of the `NetworkError` with code
    ///   `reportedByServer`.
    /// - Returns: A changed copy.
    public func failing<In, Out>(
        on isError: @escaping @Sendable (In) -> (any Error)?
    ) -> Chain where Output == Socket<In, Out> {
        asking { $0.failures.append(isError) }
    }

    /// Decides what follows a close, if ``SocketOptions/reconnection`` allows new connections.
    ///
    /// - Parameter decide: The decision for a close; `nil` leaves it to the rules of ``SocketReconnection``.
    /// - Returns: A changed copy.
    public func reconnecting<In, Out>(
        after decide: @escaping @Sendable (SocketClose) -> SocketDecision?
    ) -> Chain where Output == Socket<In, Out> {
        asking { $0.decide = decide }
    }

    /// Leaves out messages that are not the model's, and counts them, instead of failing.
    public func skippingUnreadable<In, Out>() -> Chain where Output == Socket<In, Out> {
        asking { $0.skipsUnreadable = true }
    }

    private func asking<In, Out>(
        _ change: @escaping @Sendable (inout SocketRules<In, Out>) -> Void
    ) -> Chain where Output == Socket<In, Out> {
        Chain(head: SocketRulesNode(next: head, change: change), options: options)
    }
}

extension Chain where Input == Void {
    /// Opens a socket and returns its messages to an observer, one after the other; cancelling it closes the socket.
    ///
    /// A listener hears what is emitted from then on, and of what was before the newest alone: subscribe at once.
    /// - Returns: An observer that emits each message; it ends with an error, or without a word at a good close.
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
        context.onCancelUpstream { task.cancel() }
        return context
    }
}
