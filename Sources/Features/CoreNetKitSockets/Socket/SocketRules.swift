import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitJson

/// Settings of a socket that are made before it is opened: the verbs of a chain pass them to its first node.
struct SocketRules<In: Sendable, Out: Sendable>: Sendable, Attributes.Key {
    typealias Value = SocketRules

    enum Interpretation {
        case model(In)
        /// It cannot be decoded, and such messages are skipped.
        case skipped
        /// The end of the socket, and the close code for the peer.
        case failure(NetworkError, SocketClose.Code)
    }

    var greeting: (limit: Duration, greet: @Sendable (SocketGreeting<In, Out>) async throws -> Void)?
    var firstMessages: (@Sendable (SocketResume) async throws -> [Out])?
    var failures: [@Sendable (In) -> (any Error)?] = []
    var decide: (@Sendable (SocketClose) -> SocketDecision?)?
    var skipsUnreadable = false

    /// The greeting of each connection; `nil` if there is none.
    func greeting(
        _ read: @escaping @Sendable (SocketMessage) throws -> In,
        _ write: @escaping @Sendable (Out) throws -> SocketMessage
    ) -> GreetingChannel.Greeting? {
        guard greeting != nil || firstMessages != nil else { return nil }
        return { [self] channel in
            if let greeting {
                try await channel.run(within: greeting.limit) {
                    try await greeting.greet(SocketGreeting(channel: channel, read: read, write: write, rules: self))
                }
            }
            let messages = try await firstMessages?(channel.resume).map(write) ?? []
            for message in messages { try await channel.link.send(message) }
            return channel.handOver()
        }
    }

    func interpretation(of message: SocketMessage, _ read: (SocketMessage) throws -> In, at node: NodeID)
        -> Interpretation
    {
        let model: In
        do { model = try read(message) } catch {
            if skipsUnreadable { return .skipped }
            let words = "a message does not match \(In.self): \(DecodingFailure(error, type: In.self))"
            let failure = error as? NetworkError ?? NetworkError(.decodingFailed, words, node: node, cause: error)
            return .failure(failure, .invalidContent)
        }
        for isError in failures {
            guard let error = isError(model) else { continue }
            let words = "the server reports an error in a message; the cause says which"
            let failure = error as? NetworkError ?? NetworkError(.reportedByServer, words, node: node, cause: error)
            return .failure(failure, .normal)
        }
        return .model(model)
    }
}
