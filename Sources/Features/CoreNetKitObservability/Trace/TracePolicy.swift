public import CoreNetKitChain
public import CoreNetKitHTTP

/// Propagates the context of a distributed trace, only to the configured origins.
///
/// Each exchange is a span of its own. A request that already has a valid `traceparent` keeps it; several or invalid ones
/// are removed.
public struct TracePolicy: BuiltInPolicy {
    /// Which new traces are sampled; a trace from outside keeps its own decision.
    public enum Sampling: Sendable {
        /// All.
        case all
        /// This share of them, from 0 to 1.
        case ratio(Double)

        func takes(_ random: UInt64) -> Bool {
            switch self {
            case .all: true
            // The right-most 56 bits, as in the second edition of the standard.
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
    ///   - origins: The origins that get the context: scheme, host and port must be equal.
    ///   - sampling: Which new traces are sampled.
    ///   - current: The trace context of the calling code, read in the task of the call.
    public init(
        to origins: [Origin],
        sampling: Sampling = .all,
        current: @escaping @Sendable () -> TraceContext? = { TraceContext.current }
    ) {
        (self.origins, self.sampling, self.current) = (Set(origins), sampling, current)
    }

    /// Once per call, where the trace is chosen, and once per exchange, where its fields are added.
    package var nodePositions: [ChainPosition] { [.trace, .outside(of: .cache, "trace")] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        guard position == .trace else { return TraceStartNode(next: next, sampling: sampling, current: current) }
        return TraceNode(next: next, origins: origins)
    }
}

extension PolicyHolder {
    /// Propagates the trace context to the origins of a policy; `nil` disables that.
    public func trace(_ policy: TracePolicy?) -> Self {
        if let policy { with(policy) } else { without(.trace) }
    }
}

/// Chooses the trace of a call: that of the caller's field, that of the calling code, or a new one.
struct TraceStartNode: ChainStep {
    let next: Exchange
    let sampling: TracePolicy.Sampling
    let current: @Sendable () -> TraceContext?

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        var (request, context) = (input, context)
        let own = TraceContext(request.headers)
        if own == nil, request.headers.contains("traceparent") {
            context.record(.warning, id, "an invalid traceparent was removed")
            request.headers.remove("traceparent")
            request.headers.remove("tracestate")
        }
        let ambient = current()
        let trace = own ?? ambient ?? .root(sampling)
        context.attributes[TraceNode.self] = trace
        // A field set by the caller is for the original origin: redirects must not carry it elsewhere.
        context.credentialFields += ["traceparent", "tracestate"]
        context.recording?.describe(trace: trace, link: own == nil ? nil : ambient)
        return try await next.process(request, context: context)
    }
}

/// Adds the trace fields to a request for a configured origin; the trace is the attribute of this name.
struct TraceNode: ChainStep, Attributes.Key {
    typealias Value = TraceContext

    let next: Exchange
    let origins: Set<Origin>

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard let trace = context.attributes[TraceNode.self], !input.headers.contains("traceparent"),
            origins.contains(Origin(input.url))
        else { return try await next.process(input, context: context) }
        var request = input
        request.headers["traceparent"] = trace.child().traceparent
        request.headers["tracestate"] = trace.state
        return try await next.process(request, context: context)
    }
}
