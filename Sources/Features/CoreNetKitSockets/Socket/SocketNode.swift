import CoreNetKitChain
import CoreNetKitHTTP

/// Opens a socket: the first node of its chain.
///
/// in: `Void`, out: `Socket`. Each connection is a call of the chain below.
struct SocketNode<In: Sendable, Out: Sendable>: Node {
    /// A chain like those of the connections, for diagrams.
    let pattern: any Node
    let open: @Sendable (SocketRules<In, Out>, CallUser) -> Socket<In, Out>

    var successors: [any Node] { [pattern] }

    func process(_ input: Void, context: RequestContext) async throws -> Socket<In, Out> {
        let socket = open(context.attributes[SocketRules<In, Out>.Key.self] ?? SocketRules(), context.user)
        try await socket.handle.core.open()
        return socket
    }
}

/// Passes the settings of a socket to the node that opens it.
struct SocketRulesNode<Input: Sendable, In: Sendable, Out: Sendable>: Node {
    let next: any Node<Input, Socket<In, Out>>
    let change: @Sendable (inout SocketRules<In, Out>) -> Void

    var successors: [any Node] { [next] }

    func process(_ input: Input, context: RequestContext) async throws -> Socket<In, Out> {
        var context = context
        var rules = context.attributes[SocketRules<In, Out>.Key.self] ?? SocketRules()
        change(&rules)
        context.attributes[SocketRules<In, Out>.Key.self] = rules
        return try await next.process(input, context: context)
    }
}
