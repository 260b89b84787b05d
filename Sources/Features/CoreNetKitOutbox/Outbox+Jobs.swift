extension Outbox {
    /// Registers a handler for a job in this process; of several handlers, the first one that still exists is used.
    ///
    /// A job that is due becomes an entry when the outbox delivers; a job without a handler waits.
    ///
    /// - Parameter job: The job.
    public func assign(_ job: OutboxJob) {
        engine.jobs.add(job)
        engine.wakeSignal.raise()
    }

    /// Reports that a job has nothing left to do: its entry ends, if there is one.
    ///
    /// - Parameter name: The name of the job.
    public func withdraw(job name: String) async { await opened.complete(job: name, .done) }

    /// Runs a job now, out of turn: it is an entry before the work begins, and stays one until it is done.
    ///
    /// Meanwhile the outbox does not start the job itself. If the entry cannot be stored, the work is done nevertheless,
    /// and one of the reports gives the reason.
    ///
    /// - Parameters:
    ///   - name: The name of the job.
    ///   - judge: Interprets the result; `nil` leaves the entry waiting for its turn.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The errors of the work.
    public func attempt<Value: Sendable>(
        _ name: String,
        judge: @Sendable (Result<Value, any Error>) -> OutboxJob.Outcome?,
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        engine.jobs.beginRun(name)
        await opened.request(job: name)
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        if let outcome = judge(result) { await engine.complete(job: name, outcome) }
        engine.jobs.endRun(name)
        engine.wakeSignal.raise()
        return try result.get()
    }
}
