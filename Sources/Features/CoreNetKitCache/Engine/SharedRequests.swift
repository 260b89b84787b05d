import CoreNetKitChain
import CoreNetKitSystem

/// The requests in flight in this process, by resource: a concurrent miss gets the response of the first request, whatever
/// the storage does.
final class SharedRequests: Sendable {
    /// How a request ended.
    enum Outcome: Sendable {
        /// With a response that other calls may use, as far as its fields allow.
        case record(CacheRecord)
        /// With a response for its own caller.
        case own
        /// Without one.
        case failed
    }

    /// A request in flight.
    final class Request: Sendable {
        private struct State: Sendable {
            var outcome: Outcome?
            var callers: [Waiter<Outcome?>] = []
        }

        /// The mark counters when it began; `nil` if the storage did not respond.
        fileprivate let counters: CacheCounters?
        private let state = Locked(State())

        fileprivate init(_ counters: CacheCounters?) { self.counters = counters }

        /// Waits for its end; `nil` on a timeout.
        func outcome(until end: Duration, on clock: CallClock) async throws -> Outcome? {
            let caller = Waiter<Outcome?>()
            let known = state.withLock { state in
                if state.outcome == nil { state.callers.append(caller) }
                return state.outcome
            }
            if let known { return known }
            return try await caller.value(until: end, on: clock) { .success(nil) }
        }

        fileprivate func complete(_ outcome: Outcome) {
            let callers = state.withLock { state in
                state.outcome = outcome
                defer { state.callers = [] }
                return state.callers
            }
            for caller in callers { caller.resume(.success(outcome)) }
        }
    }

    private let requests = Locked<[CacheKey: Request]>([:])
    private let retention: Duration
    private let clock: CallClock

    /// - Parameters:
    ///   - retention: How long a response is kept for calls that are still waiting for a storage that does not respond.
    ///   - clock: The clock for this.
    init(retaining retention: Duration, on clock: CallClock) { (self.retention, self.clock) = (retention, clock) }

    /// Joins the request for a resource, or starts it.
    ///
    /// - Parameters:
    ///   - key: The resource.
    ///   - counters: The counters of the caller's look-up: a response from before a mark is not for a caller after it.
    /// - Returns: The request, and whether the caller started it and has to end it.
    func join(_ key: CacheKey, _ counters: CacheCounters?) -> (request: Request, isFirst: Bool) {
        requests.withLock { requests in
            if let request = requests[key], request.counters == nil || counters == nil || request.counters == counters {
                return (request, false)
            }
            let request = Request(counters)
            requests[key] = request
            return (request, true)
        }
    }

    /// Ends a request, and resumes its callers.
    func complete(_ request: Request, _ key: CacheKey, _ outcome: Outcome) {
        request.complete(outcome)
        guard case .record = outcome else { return drop(request, key) }
        Task.apart { [self] in
            try? await clock.sleep(until: clock.time(after: retention))
            drop(request, key)
        }
    }

    private func drop(_ request: Request, _ key: CacheKey) {
        requests.withLock { if $0[key] === request { $0[key] = nil } }
    }

    /// Called after a mark or a removal: later calls do not join current requests, whose responses may be older.
    func close() { requests.withLock { if !$0.isEmpty { $0 = [:] } } }
}
