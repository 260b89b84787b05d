import CoreNetKitEssentials
import CoreNetKitSystem

/// A job that is repeated until it succeeds, without a stored request: a name and a handler.
///
/// For work whose state is kept elsewhere, such as a registration of this device. The outbox stores that the job is due,
/// when it is tried next and how it ended; its request is created at its turn, and so is never older than the state.
/// There is at most one entry per name, however often the job is requested.
public struct OutboxJob: Sendable {
    /// The outcome of an attempt.
    public enum Outcome: Hashable, Sendable {
        /// Nothing is left to do.
        case done
        /// No server was reached: repeated after a short wait, and not counted as an attempt.
        case unreachable(String)
        /// It may succeed later: repeated after a growing wait, or after the server's wait if that is longer.
        case later(String, after: Duration? = nil)
        /// It would fail again: kept until the app decides, or requests the job again.
        case refused(String)
    }

    /// The name, the same in each process and version of the app.
    public let name: String
    let id = UUID()
    let isDue: @Sendable () throws -> Bool?
    let carryOut: @Sendable () async -> Outcome?

    /// Creates a job; ``Outbox/assign(_:)`` registers it.
    ///
    /// - Parameters:
    ///   - name: The name, 1 to 255 bytes.
    ///   - isDue: Whether there is anything to do; called once when the outbox starts to deliver, so that earlier work
    ///     becomes an entry. Throws if that is not known now; `nil` if its owner was released.
    ///   - carryOut: Does the work, at the job's turn; `nil` if its owner was released.
    public init(
        _ name: String,
        isDue: @escaping @Sendable () throws -> Bool?,
        carryOut: @escaping @Sendable () async -> Outcome?
    ) {
        (self.name, self.isDue, self.carryOut) = (name, isDue, carryOut)
    }

    /// The id of the entry, derived from the name, so that a name has at most one entry.
    static func entryID(_ name: String) -> UUID {
        // The first half of the digest.
        UUID(uuid: SHA256.digest("errand \(name)".utf8).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension Outbox {
    /// Registers a handler for a job in this process; of several handlers, the first one that still exists is used.
    ///
    /// A job that is due becomes an entry when the outbox delivers; a job without a handler waits.
    public func assign(_ job: OutboxJob) {
        engine.jobs.add(job)
        engine.wakeSignal.raise()
    }

    /// Reports that a job has nothing left to do: its entry ends, if there is one.
    public func withdraw(job name: String) async { await opened.complete(job: name, .done) }

    /// Runs a job now, out of turn: it is an entry before the work begins, and stays one until it is done.
    ///
    /// Meanwhile the outbox does not start the job itself. If the entry cannot be stored, the work is done nevertheless,
    /// and one of the reports gives the reason.
    ///
    /// `judge` interprets the result; with `nil` the entry waits for its turn.
    ///
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
