import CoreNetKitChain
import CoreNetKitSystem

/// What is sent over each connection before all other messages.
final class ConnectionGreeting: Sendable {
    /// A greeting, and how long it may take.
    typealias Greeting = (limit: Duration, greet: @Sendable (GreetingChannel) async throws -> Void)

    private let greeting: Greeting?
    private let messages: (@Sendable (SocketResume) async throws -> [SocketMessage])?

    init(_ greeting: Greeting?, _ messages: (@Sendable (SocketResume) async throws -> [SocketMessage])?) {
        (self.greeting, self.messages) = (greeting, messages)
    }

    /// Sends it.
    ///
    /// - Returns: The step at which the socket's reader continues.
    func send(over link: SocketLink, _ resume: SocketResume, _ core: SocketCore) async throws -> SocketLink.Step {
        let channel = GreetingChannel(link, resume, core)
        if let greeting { try await greet(channel, greeting, core.parts.clock) }
        for message in try await messages?(resume) ?? [] { try await link.send(message) }
        return channel.handOver()
    }

    private func greet(_ channel: GreetingChannel, _ greeting: Greeting, _ clock: CallClock) async throws {
        let node = channel.node
        do {
            let limit = clock.time(after: greeting.limit)
            try await Waiter<Void>.value(of: { try await greeting.greet(channel) }, until: limit, on: clock) {
                let words = "the greeting got no reply within \(greeting.limit)"
                return .socket(SocketError(.noReply, words), node: node)
            }
        } catch {
            _ = channel.end()
            throw error
        }
        guard channel.end() else { throw channel.misuse("a greeting ended while one of its tasks was still reading") }
    }
}
