public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitWire

extension UrlChainsBuilder {
    /// Builds a chain that opens a WebSocket with messages as models.
    ///
    /// The handshake is a GET through all policies; each connection is a call of its own. A limit on concurrent calls does not
    /// count sockets, which are long-lived. The route may begin with `ws` or `wss`.
    /// - Parameters:
    ///   - reading: How incoming messages are decoded.
    ///   - writing: How outgoing messages are encoded.
    ///   - options: How the socket is opened and kept.
    /// - Returns: The chain.
    public func socket<In: Sendable, Out: Sendable>(
        reading: SocketReading<In>,
        writing: SocketWriting<Out>,
        _ options: SocketOptions = .init()
    ) -> Chain<Void, Socket<In, Out>> {
        let offer = SocketHandshake.Offer(protocols: options.protocols, deflate: options.compression?.offered)
        let builder = toSocket.without(.limit).with(SocketHandshakePolicy(offer: offer))
        let connections: Chain<Void, SocketResponse> = builder.build()
        let setup = SocketSetup(options, configuration.parts)
        let (read, write) = (reading.make(coding), writing.make(coding))
        let node = SocketNode<In, Out>(pattern: connections.head) { rules, user in
            let core = SocketCore(
                setup,
                user: user,
                greeting: rules.greeting(read, write),
                decide: rules.decide
            ) {
                try await connections.process((), continuing: user)
            }
            return Socket(handle: .init(core), read: read, write: write, rules: rules)
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

extension SocketCompression {
    /// What a handshake offers: nothing without zlib.
    fileprivate var offered: (windowBits: Int, keepsContext: Bool)? {
        MessageDeflater.isAvailable ? (min(max(windowBits, 9), 15), keepsContext) : nil
    }
}
