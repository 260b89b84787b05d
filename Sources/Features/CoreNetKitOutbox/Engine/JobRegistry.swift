import CoreNetKitSystem

/// The handlers of jobs in this process.
final class JobRegistry: Sendable {
    private struct State {
        var jobs: [String: [OutboxJob]] = [:]
        /// Handlers not asked yet whether their job is due.
        var new: [OutboxJob] = []
        /// How many callers run each job now, in turn or not.
        var running: [String: Int] = [:]
    }

    private let state = Locked(State())

    func add(_ job: OutboxJob) {
        state.withLock { state in
            state.jobs[job.name, default: []].append(job)
            state.new.append(job)
        }
    }

    func beginRun(_ name: String) { state.withLock { $0.running[name, default: 0] += 1 } }

    func endRun(_ name: String) {
        state.withLock { state in
            let count = (state.running[name] ?? 1) - 1
            state.running[name] = count > 0 ? count : nil
        }
    }

    /// Whether a job can start at its turn.
    func isReady(_ name: String) -> Bool {
        state.withLock { $0.running[name] == nil && $0.jobs[name] != nil }
    }

    /// Returns the handlers that were not asked yet, and clears the list.
    func takeNew() -> [OutboxJob] {
        state.withLock { state in
            defer { state.new = [] }
            return state.new
        }
    }

    func putBack(_ job: OutboxJob) { state.withLock { $0.new.append(job) } }

    /// Runs a job with the first handler that still exists; `nil` when there is none.
    func carryOut(_ name: String) async -> OutboxJob.Outcome? {
        while let job = state.withLock({ $0.jobs[name]?.first }) {
            if let outcome = await job.carryOut() { return outcome }
            remove(job)
        }
        return nil
    }

    func remove(_ job: OutboxJob) {
        // Not under the lock: releasing a handler may call back.
        let removed = state.withLock { state -> [OutboxJob] in
            let removed = state.jobs[job.name]?.filter { $0.id == job.id } ?? []
            state.jobs[job.name]?.removeAll { $0.id == job.id }
            if state.jobs[job.name]?.isEmpty == true { state.jobs[job.name] = nil }
            return removed
        }
        withExtendedLifetime(removed) {}
    }
}
