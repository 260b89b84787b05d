/// Runs tasks' jobs when a test says so, on its thread, so that a moment between two of them can be held.
package final class StepExecutor: TaskExecutor {
    private let state = Locked((jobs: [UnownedJob](), isFree: false))

    package init() {}

    package var isEmpty: Bool { state.withLock { $0.jobs.isEmpty } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let runsNow = state.withLock { state in
            if !state.isFree { state.jobs.append(job) }
            return state.isFree
        }
        if runsNow { detach(job) }
    }

    /// Runs the next job, and returns whether there was one.
    @discardableResult
    package func step() -> Bool {
        guard let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Returns when every task has ended or waits.
    package func run() { while step() {} }

    /// From now on jobs run automatically.
    package func free() {
        let jobs = state.withLock { state in
            state.isFree = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { detach(job) }
    }

    private func detach(_ job: UnownedJob) {
        Task.detached { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
