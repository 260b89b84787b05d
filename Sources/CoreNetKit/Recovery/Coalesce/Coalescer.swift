#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitTransport

/// Calls of a client that share one exchange with others.
final class Coalescer: Sendable {
    /// What makes two calls equal.
    struct Key: Hashable, Sendable {
        let method: Method
        let url: URL
        let fields: [Headers.Field]
        let delivery: ResponseDelivery
        /// The token and the transport, which a request does not show.
        let scope: [ObjectIdentifier]
    }

    typealias Caller = Waiter<TransportResponse>

    private struct Flight: Sendable {
        let number: Int
        var callers: [Caller]
        let task: Task<Void, Never>
    }

    private struct State: Sendable {
        var flights: [Key: Flight] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    var callsWaiting: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.callers.count } } }

    /// Joins the exchange of a key, or begins it.
    ///
    /// - Returns: Whether the caller began it.
    func join(
        _ key: Key,
        _ caller: Caller,
        _ exchange: @escaping @Sendable () async throws -> TransportResponse
    ) -> Bool {
        state.withLock { state in
            guard state.flights[key] == nil else {
                state.flights[key]?.callers.append(caller)
                return false
            }
            state.lastNumber += 1
            let number = state.lastNumber
            // Begins under the lock: its end waits until the flight is known.
            let task = Task {
                let result: Result<TransportResponse, any Error>
                do {
                    result = .success(try await exchange())
                } catch {
                    result = .failure(error)
                }
                finish(key, number, result)
            }
            state.flights[key] = Flight(number: number, callers: [caller], task: task)
            return true
        }
    }

    /// A caller stops to wait; the last one ends the exchange.
    func leave(_ key: Key, _ caller: Caller) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard let index = state.flights[key]?.callers.firstIndex(of: caller) else { return nil }
            state.flights[key]?.callers.remove(at: index)
            guard let flight = state.flights[key], flight.callers.isEmpty else { return nil }
            // Not to be joined any more: who comes now begins anew.
            state.flights[key] = nil
            return flight.task
        }
        task?.cancel()
    }

    private func finish(_ key: Key, _ number: Int, _ result: Result<TransportResponse, any Error>) {
        let callers = state.withLock { state -> [Caller] in
            guard let flight = state.flights[key], flight.number == number else { return [] }
            state.flights[key] = nil
            return flight.callers
        }
        for caller in callers { caller.resume(result) }
    }
}
