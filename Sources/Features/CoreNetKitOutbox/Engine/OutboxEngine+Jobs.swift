import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension OutboxEngine {
    /// Asks new handlers whether their jobs are due: work requested before the outbox existed becomes an entry.
    func storeDueJobs() async {
        for job in jobs.takeNew() {
            do {
                guard let isDue = try job.isDue() else {
                    jobs.remove(job)
                    continue
                }
                if isDue { try await store(job: job.name) }
            } catch {
                // Not known or not stored now: asked again next time.
                jobs.putBack(job)
            }
        }
    }

    func request(job name: String) async {
        do { try await store(job: name) } catch {
            report(.storage("the job \(name) is not stored: \(error)"))
            publish()
        }
    }

    /// Makes a job an entry; an existing entry is kept, a dead one revived.
    func store(job name: String) async throws {
        try requireReady()
        let head = EntryHead(job: name, made: time.moment())
        if let entry = index[head.id] {
            if entry.state.needsDecision { try revive(head.id) }
            return
        }
        _ = try await store(head, [])
    }

    /// Records the outcome of a job that ran out of turn.
    func complete(job name: String, _ outcome: OutboxJob.Outcome) {
        guard folderState.role == .delivering, let entry = index[OutboxJob.entryID(name)] else { return }
        switch entry.state {
        case .waiting: if let attempt = begin(entry.number) { finish(attempt, outcome) }
        // Its regular turn has begun meanwhile, and may find that the handler is gone.
        case .sending: runningAttempts.completedMeanwhile[name] = outcome
        default: break
        }
    }

    /// Records the outcome of a job; `nil` if it has no handler any more.
    func finish(_ attempt: DeliveryAttempt, _ outcome: OutboxJob.Outcome?) {
        let meanwhile = runningAttempts.completedMeanwhile.removeValue(forKey: attempt.entry.kind)
        switch outcome ?? meanwhile {
        case .done:
            finish(attempt, .delivered(204), TransportResponse(status: 204, headers: [:], url: attempt.request.url))
        case .unreachable(let text): finish(attempt, .whenConnected(text), nil)
        case .later(let text, let retryAfter):
            let busy = DeliveryOutcome.response(status: 503, retryAfter: retryAfter, contentType: nil)
            guard case .later(let pause, _) = verdict(on: busy, of: attempt) else {
                return finish(attempt, .heldBack(.zero), nil)
            }
            finish(attempt, .later(pause, isKnownHarmless: true), nil, text: text)
        case .refused(let text): finish(attempt, .dead(text), nil)
        case nil: finish(attempt, .heldBack(.zero), nil)
        }
    }
}

extension EntryHead {
    /// The entry of a job: a name instead of a request.
    init(job name: String, made: WallMoment) {
        let id = OutboxJob.entryID(name)
        self.init(
            id: id,
            queue: name,
            kind: name,
            // A version that does not know jobs takes it for a request that cannot be sent.
            method: "ERRAND",
            url: "errand:\(id.uuidString)",
            fields: [:],
            made: made,
            repetition: .harmless
        )
        isJob = true
    }
}

final class JobRegistry: Sendable {
    private struct State {
        var jobs: [String: [OutboxJob]] = [:]
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

    func isReady(_ name: String) -> Bool { state.withLock { $0.running[name] == nil && $0.jobs[name] != nil } }

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
