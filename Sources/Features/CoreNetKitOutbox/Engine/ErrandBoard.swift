import CoreNetKitSystem

/// The handlers of jobs in this process.
final class ErrandBoard: Sendable {
    private struct State {
        var errands: [String: [OutboxErrand]] = [:]
        /// Handlers not asked yet whether their job is due.
        var new: [OutboxErrand] = []
        /// How many callers run each job now, in turn or not.
        var held: [String: Int] = [:]
    }

    private let state = Locked(State())

    func add(_ errand: OutboxErrand) {
        state.withLock { state in
            state.errands[errand.name, default: []].append(errand)
            state.new.append(errand)
        }
    }

    func hold(_ name: String) { state.withLock { $0.held[name, default: 0] += 1 } }

    func release(_ name: String) {
        state.withLock { state in
            let count = (state.held[name] ?? 1) - 1
            state.held[name] = count > 0 ? count : nil
        }
    }

    /// Whether a job can start at its turn.
    func isReady(_ name: String) -> Bool {
        state.withLock { $0.held[name] == nil && $0.errands[name] != nil }
    }

    /// Returns the handlers that were not asked yet, and clears the list.
    func takeNew() -> [OutboxErrand] {
        state.withLock { state in
            defer { state.new = [] }
            return state.new
        }
    }

    func putBack(_ errand: OutboxErrand) { state.withLock { $0.new.append(errand) } }

    /// Runs a job with the first handler that still exists; `nil` when there is none.
    func carryOut(_ name: String) async -> OutboxErrand.Outcome? {
        while let errand = state.withLock({ $0.errands[name]?.first }) {
            if let outcome = await errand.carryOut() { return outcome }
            remove(errand)
        }
        return nil
    }

    func remove(_ errand: OutboxErrand) {
        // Not under the lock: releasing a handler may call back.
        let removed = state.withLock { state -> [OutboxErrand] in
            let gone = state.errands[errand.name]?.filter { $0.id == errand.id } ?? []
            state.errands[errand.name]?.removeAll { $0.id == errand.id }
            if state.errands[errand.name]?.isEmpty == true { state.errands[errand.name] = nil }
            return gone
        }
        withExtendedLifetime(removed) {}
    }
}
