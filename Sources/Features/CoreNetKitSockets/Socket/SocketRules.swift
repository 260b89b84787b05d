import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitJson

/// What a user asked of a socket before it was opened.
struct SocketRules<In: Sendable, Out: Sendable>: Sendable {
    /// Where the verbs of a chain leave them for its first node.
    enum Key: Attributes.Key {
        typealias Value = SocketRules
    }

    /// What a message that came is.
    enum Reading {
        case model(In)
        /// It is not the model's, and such messages are left out.
        case skipped
        /// The end of the socket, and the code that says so to the other side.
        case failure(NetworkError, SocketClose.Code)
    }

    var greeting: (limit: Duration, greet: @Sendable (SocketGreeting<In, Out>) async throws -> Void)?
    var hello: (@Sendable (SocketResume) async throws -> [Out])?
    var failures: [@Sendable (In) -> (any Error)?] = []
    var decide: (@Sendable (SocketClose) -> SocketDecision?)?
    var skipsUnreadable = false

    /// What is said over each connection; `nil` if nothing is.
    func hello(
        _ read: @escaping @Sendable (SocketMessage) throws -> In,
        _ write: @escaping @Sendable (Out) throws -> SocketMessage
    ) -> SocketHello? {
        guard greeting != nil || hello != nil else { return nil }
        let greeting: SocketHello.Greeting? = greeting.map { greeting in
            let rules = self
            return (
                greeting.limit,
                { try await greeting.greet(SocketGreeting(greeter: $0, read: read, write: write, rules: rules)) }
            )
        }
        let messages = hello.map { hello in
            { @Sendable (resume: SocketResume) async throws in try await hello(resume).map(write) }
        }
        return SocketHello(greeting, messages)
    }

    /// Reads a message.
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
