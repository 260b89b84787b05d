extension Outbox {
    /// Registers a handler of an errand in this process; of several, the first one that still exists is used.
    ///
    /// An errand that is due becomes an entry when the outbox delivers; an errand without a handler waits.
    ///
    /// - Parameter errand: The errand.
    public func assign(_ errand: OutboxErrand) {
        engine.errands.add(errand)
        engine.bell.ring()
    }

    /// Says that an errand has nothing left to do: its entry ends, if there is one.
    ///
    /// - Parameter name: The name of the errand.
    public func withdraw(errand name: String) async { await opened.settle(errand: name, .done) }

    /// Carries an errand out now, whatever its turn: it is an entry before the work begins, and stays one until it is done.
    ///
    /// Meanwhile the outbox does not start the errand itself. If the entry cannot be stored, the work is done
    /// nevertheless, and the reason is one of the reports.
    ///
    /// - Parameters:
    ///   - name: The name of the errand.
    ///   - judge: Says what the result means; `nil` leaves the entry to its turn.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: What the work throws.
    public func attempt<Value: Sendable>(
        _ name: String,
        judge: @Sendable (Result<Value, any Error>) -> OutboxErrand.Outcome?,
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        engine.errands.hold(name)
        await opened.request(errand: name)
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        if let outcome = judge(result) { await engine.settle(errand: name, outcome) }
        engine.errands.release(name)
        engine.bell.ring()
        return try result.get()
    }
}
