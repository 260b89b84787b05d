public import CoreNetKitChain
package import CoreNetKitHTTP

/// Lets equal requests that are in flight at the same time share one exchange.
///
/// Requests are equal if method, URL and header fields are equal, with the same token refresher; the fields are all, or the
/// chosen ones and those that identify the user. Only GET, HEAD, OPTIONS and TRACE without a body and with a collected, decoded
/// response are shared. The exchange is that of the first caller, with its deadline, policies and record, which stays open until
/// the exchange has ended; a caller with more time starts again when that deadline passes. Each caller is cancelled separately,
/// and the last one ends the exchange on the wire. A failure reaches all callers.
package struct CoalescingNode: PolicyNode {
    package static let position = ChainPosition.coalescing

    package let next: Exchange
    private let fields: [String]?
    private let coalescer: Coalescer
    private let scope: [ObjectIdentifier]
    private let callers: CallIdentitySource

    package init(next: Exchange, by fields: [String]?, scope: [ObjectIdentifier], parts: ChainParts) {
        (self.next, self.fields, self.scope) = (next, fields, scope)
        callers = CallIdentitySource(parts, inside: Self.position)
        coalescer = parts.shared.object(Coalescer.self) { Coalescer() }
    }

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard mayShare(input) else { return try await next.process(input, context: context) }
        var caller: CallIdentity?
        if fields != nil {
            let known = callers.identity(of: input, in: context.partition, by: context.secrets)
            guard known.isShareable else { return try await next.process(input, context: context) }
            caller = known
        }
        let key = key(of: input, in: context.session, caller)
        while true {
            var isFirst = true
            do {
                return try await coalescer.response(key, of: context.id) { caller, leader in
                    isFirst = false
                    context.note(.joined(call: leader, waiting: coalescer.callsWaiting))
                    return try await context.waiting(for: .init(.shared)) {
                        let message = "the deadline passed while waiting for an equal request"
                        return try await caller.value(until: context.deadline, on: context.clock) {
                            .failure(NetworkError(.deadlineExceeded, message, node: "CoalescingNode"))
                        }
                    }
                } begin: { [next] in
                    // Before any caller can be cancelled.
                    context.holdRecord()
                    return {
                        defer { context.releaseRecord() }
                        return try await next.process(input, context: context)
                    }
                }
            } catch let error as NetworkError {
                let hasTime = context.deadline.map { context.clock.now < $0 } ?? true
                guard !isFirst, error.code == .deadlineExceeded, hasTime else { throw error }
            }
        }
    }

    private func mayShare(_ input: TransportRequest) -> Bool {
        input.method.isSafe && input.body.isEmpty && input.delivery.isCollected && input.coding == .automatic
            && CallUser.refreshers.isEmpty
    }

    private func key(
        of request: TransportRequest,
        in session: Partition.Session,
        _ caller: CallIdentity?
    ) -> Coalescer.Key {
        var chosen = request.headers.fields
        if let fields { chosen.removeAll { field in !fields.contains { Headers.matches($0, field.name) } } }
        return Coalescer.Key(
            method: request.method,
            url: request.url,
            fields: chosen,
            delivery: request.delivery,
            scope: scope,
            session: session,
            caller: caller
        )
    }
}

struct CoalescingPolicy: ChainPolicy {
    let fields: [String]?

    var positions: [ChainPosition] { [CoalescingNode.position] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        guard let scope = parts.scopes(inside: position) else { return next }
        return CoalescingNode(next: next, by: fields, scope: scope, parts: parts)
    }
}

extension PolicyHolder {
    /// Lets equal requests in flight share one exchange: GET, HEAD, OPTIONS and TRACE with collected responses.
    ///
    /// Calls with different tokens, partitions or transports never share one. Nothing is shared if a custom node with
    /// unknown scope is inside: see `PolicyHolder.insert(at:scope:_:)`.
    /// - Parameter fields: The header fields that distinguish requests, besides those that identify the user, such as
    ///   `Authorization`; `nil` for all of them.
    /// - Returns: A changed copy.
    public func coalesce(by fields: [String]? = nil) -> Self { with(CoalescingPolicy(fields: fields)) }

    /// The number of calls that share an exchange or may be joined: those that wait in `coalesce`.
    public var callsCoalesced: Int {
        configuration.parts.shared.object(Coalescer.self) { Coalescer() }.callsWaiting
    }
}
