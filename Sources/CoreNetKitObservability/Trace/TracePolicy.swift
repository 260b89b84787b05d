public import CoreNetKitChain
public import CoreNetKitHTTP

/// Passes the context of a distributed trace on, to the origins it is meant for and to no others.
///
/// Each exchange is a span of its own. A request that has a valid `traceparent` already keeps it; several or invalid ones
/// are taken out.
public struct TracePolicy: ChainPolicy {
    /// Which new traces are recorded; a trace that comes from outside keeps what was decided there.
    public enum Sampling: Sendable {
        /// All.
        case all
        /// This share of them, from 0 to 1.
        case ratio(Double)

        func takes(_ random: UInt64) -> Bool {
            switch self {
            case .all: true
            // The right-most 56 bits, as the second edition of the standard has it.
            case .ratio(let share): Double(random & 0x00FF_FFFF_FFFF_FFFF) < share * 72_057_594_037_927_936
            }
        }
    }

    private let origins: Set<Origin>
    private let sampling: Sampling
    private let current: @Sendable () -> TraceContext?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - origins: Where the context goes: scheme, host and port have to be equal.
    ///   - sampling: Which new traces are recorded.
    ///   - current: The position of the calling code in its trace, asked for in the task of the call.
    public init(
        to origins: [Origin],
        sampling: Sampling = .all,
        current: @escaping @Sendable () -> TraceContext? = { TraceContext.current }
    ) {
        self.origins = Set(origins)
        self.sampling = sampling
        self.current = current
    }

    /// Next to the wire, inside of redirects.
    public var positions: [ChainPosition] { [.trace] }
    /// Responses do not depend on it.
    public var scope: PolicyScope { .none }

    /// Makes the node that adds the fields.
    public func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        TraceNode(next: next, origins: origins, sampling: sampling, current: current)
    }
}

extension PolicyHolder {
    /// Passes the context of the trace on to these origins; see ``TracePolicy``.
    public func trace(_ policy: TracePolicy?) -> Self {
        if let policy { with(policy) } else { without(.trace) }
    }
}

/// Adds the fields of the trace to a request.
struct TraceNode: ChainStep {
    let next: Exchange
    let origins: Set<Origin>
    let sampling: TracePolicy.Sampling
    let current: @Sendable () -> TraceContext?

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        var request = input
        let isOwn = TraceContext(request.headers) != nil
        let isKnown = Origin(request.url).map { origins.contains($0) } ?? false
        if isOwn, isKnown || context.attempt >= 1 && !request.headers.contains("tracestate") {
            return try await next.process(request, context: context)
        }
        if !isOwn, request.headers.contains("traceparent") {
            context.record(.warning, id, "a traceparent that is not valid was taken out")
        }
        request.headers.remove("traceparent")
        request.headers.remove("tracestate")
        return try await next.process(request, context: context)
    }
}
