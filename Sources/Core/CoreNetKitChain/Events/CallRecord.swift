public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// The frozen record of one finished call, the source of every view.
///
/// Secrets are removed before a record exists. The times of its events are offsets from ``startedAt``, the only reading
/// of the wall clock, so that they stay in order when that clock is changed.
public struct CallRecord: Sendable {
    /// How a call ended for its caller.
    public enum Outcome: Sendable {
        /// With a value.
        case completed
        /// With an error.
        case failed(Failure)
        /// Cancelled.
        case cancelled
    }

    /// The recorded part of an error: everything but its response's content and its cause.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The class of failure.
        public let code: NetworkError.Code
        /// The node that detected the failure.
        public let node: NodeID
        /// The part of the exchange that was running.
        public let phase: TransportError.Phase?
        /// The status of the response, if a head arrived.
        public let status: Int?
        /// The number of the failed attempt.
        public let attempt: Int
        /// What failed, where, and what to do; without secrets once it is in a record.
        public internal(set) var message: String

        init(_ error: any Error) {
            let error = error as? NetworkError ?? NetworkError(.nodeFailed, "\(error)", node: "Chain", cause: error)
            code = error.code
            node = error.node
            phase = error.phase
            status = error.status
            attempt = error.attempt
            message = error.message
        }

        /// One line fit for a log.
        public var description: String {
            let tries = attempt > 1 ? " (attempt \(attempt))" : ""
            return "\(code) in \(node)\(tries): \(message)"
        }
    }

    /// The number of the call, unique in this process.
    public let call: UInt64
    /// The name of the chain, if it has one.
    public let chain: String?
    /// The template of the route, such as `/users/{id}`, if known.
    public let template: String?
    /// The instant of the start on the wall clock.
    public let startedAt: Date
    /// The same instant on the clock of the client, to compare calls with one another.
    public let startedOn: Duration
    /// The trace that the call belongs to.
    public let trace: TraceContext?
    /// The position of the calling code, if the request's own trace took precedence.
    public let link: TraceContext?
    /// Everything that happened, in order.
    public let events: [CallEvent]
    /// How the call ended for its caller.
    public let outcome: Outcome
    /// The time from start to end, for its caller.
    public let duration: Duration
    /// The number of events that were dropped because the record was full.
    public let droppedEvents: Int
    /// Places where values with harmless names looked like secrets and were removed.
    public let hints: [String]
}

extension CallRecord {
    /// The request as it entered the policies, without secrets.
    public var request: (method: HTTPMethod, url: String, headers: Headers)? {
        for event in events {
            if case .requestBuilt(let method, let url, let headers) = event.kind { return (method, url, headers) }
        }
        return nil
    }

    /// The number of requests that went to the wire.
    public var exchangeCount: Int {
        events.reduce(into: 0) { count, event in
            if case .exchangeStarted = event.kind { count += 1 }
        }
    }
}
