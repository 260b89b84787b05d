import CoreNetKitChain
import CoreNetKitSystem

/// The requests in flight in this process, by resource: a concurrent miss gets the response of the first request, whatever
/// the storage does.
final class CacheFlights: Sendable {
    /// How a request ended.
    enum Landing: Sendable {
        /// With a response that other calls may use, as far as its fields allow.
        case record(CacheRecord)
        /// With a response for its own caller.
        case own
        /// Without one.
        case failed
    }

    /// A request in flight.
    final class Flight: Sendable {
        private struct State: Sendable {
            var landing: Landing?
            var callers: [Waiter<Landing?>] = []
        }

        /// The mark counters when it began; `nil` if the storage did not respond.
        fileprivate let counters: CacheCounters?
        private let state = Locked(State())

        fileprivate init(_ counters: CacheCounters?) { self.counters = counters }

        /// Waits for its end; `nil` on a timeout.
        func landing(until end: Duration, on clock: CallClock) async throws -> Landing? {
            let caller = Waiter<Landing?>()
            let landed = state.withLock { state in
                if state.landing == nil { state.callers.append(caller) }
                return state.landing
            }
            if let landed { return landed }
            return try await caller.value(until: end, on: clock) { .success(nil) }
        }

        fileprivate func land(_ landing: Landing) {
            let callers = state.withLock { state in
                state.landing = landing
                defer { state.callers = [] }
                return state.callers
            }
            for caller in callers { caller.resume(.success(landing)) }
        }
    }

    private let flights = Locked<[CacheKey: Flight]>([:])
    private let stay: Duration
    private let clock: CallClock

    /// - Parameters:
    ///   - stay: How long a response stays for calls that are still waiting for a storage that does not respond.
    ///   - clock: The clock for this.
    init(staying stay: Duration, on clock: CallClock) { (self.stay, self.clock) = (stay, clock) }

    /// Joins the request for a resource, or starts it.
    ///
    /// - Parameters:
    ///   - key: The resource.
    ///   - counters: The counters of the caller's look-up: a response from before a mark is not for a caller after it.
    /// - Returns: The request, and whether the caller started it and has to end it.
    func board(_ key: CacheKey, _ counters: CacheCounters?) -> (flight: Flight, isFirst: Bool) {
        flights.withLock { flights in
            if let flight = flights[key], flight.counters == nil || counters == nil || flight.counters == counters {
                return (flight, false)
            }
            let flight = Flight(counters)
            flights[key] = flight
            return (flight, true)
        }
    }

    /// Ends a request, and resumes its callers.
    func land(_ flight: Flight, _ key: CacheKey, _ landing: Landing) {
        flight.land(landing)
        guard case .record = landing else { return drop(flight, key) }
        Task.apart { [self] in
            try? await clock.sleep(until: clock.time(after: stay))
            drop(flight, key)
        }
    }

    private func drop(_ flight: Flight, _ key: CacheKey) {
        flights.withLock { if $0[key] === flight { $0[key] = nil } }
    }

    /// Called after a mark or a removal: later calls do not join current requests, whose responses may be older.
    func close() { flights.withLock { if !$0.isEmpty { $0 = [:] } } }
}
