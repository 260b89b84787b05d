import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// The events of one hedged call's requests, kept in order for the waiting call.
struct HedgeEvents: Sendable {
    enum Event: Sendable {
        case ended(isFirst: Bool)
        /// The first request has taken too long.
        case due
    }

    private struct State: Sendable {
        var events = Fifo<Event>()
        var caller: Waiter<Event>?
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.events.isEmpty } }

    func post(_ event: Event) {
        let caller = state.withLock { state -> Waiter<Event>? in
            if state.caller == nil { state.events.append(event) }
            return state.caller.take()
        }
        caller?.resume(.success(event))
    }

    /// Waits for the next event.
    ///
    /// - Throws: `CancellationError` when the call is cancelled.
    func next() async throws -> Event {
        let caller = Waiter<Event>()
        let event = state.withLock { state -> Event? in
            if let event = state.events.popFirst() { return event }
            state.caller = caller
            return nil
        }
        if let event { return event }
        return try await caller.value()
    }
}
