import CoreNetKitSystem

/// Runs file operations in the order in which they were added, without blocking the callers.
final class SerialJobQueue: Sendable {
    private struct State: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var running: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let worker: FileWorker

    init(_ worker: FileWorker) { self.worker = worker }

    /// Appends a job.
    func add(_ job: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.jobs.append(job)
            guard state.running == nil else { return }
            state.running = Task { await self.drain() }
        }
    }

    /// Waits until all jobs are done, including those added meanwhile.
    func idle() async {
        while let task = state.withLock({ $0.running }) { await task.value }
    }

    /// Waits until the jobs added so far are done, not for later ones.
    func waitForCurrentJobs() async {
        await withCheckedContinuation { continuation in add { continuation.resume() } }
    }

    private func drain() async {
        while true {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                if state.jobs.isEmpty { state.running = nil }
                return state.jobs
            }
            if jobs.isEmpty { return }
            await worker.run { for job in jobs { job() } }
        }
    }
}
