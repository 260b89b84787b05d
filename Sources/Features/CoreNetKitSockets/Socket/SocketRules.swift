import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitJson

/// Settings of a socket that are made before it is opened.
struct SocketRules<In: Sendable, Out: Sendable>: Sendable {
    /// The attribute by which the verbs of a chain pass the rules to its first node.
    enum Key: Attributes.Key {
        typealias Value = SocketRules
    }

    /// The meaning of an incoming message.
    enum Reading {
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

    /// What is sent over each connection; `nil` if nothing is.
    func connectionGreeting(
        _ read: @escaping @Sendable (SocketMessage) throws -> In,
        _ write: @escaping @Sendable (Out) throws -> SocketMessage
    ) -> ConnectionGreeting? {
        guard greeting != nil || firstMessages != nil else { return nil }
        let greeting: ConnectionGreeting.Greeting? = greeting.map { greeting in
            let rules = self
            return (
                greeting.limit,
                { try await greeting.greet(SocketGreeting(channel: $0, read: read, write: write, rules: rules)) }
            )
        }
        let messages = firstMessages.map { firstMessages in
            { @Sendable (resume: SocketResume) async throws in try await firstMessages(resume).map(write) }
        }
        return ConnectionGreeting(greeting, messages)
    }

    /// Decodes a message.
    func reading(of message: SocketMessage, _ read: (SocketMessage) throws -> In, at node: NodeID) -> Reading {
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
