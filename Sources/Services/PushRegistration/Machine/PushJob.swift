import CoreNetKit
import CoreNetKitOutbox

/// A record's only job in the outbox: stored before a request is sent, ended when nothing is pending any more.
struct PushJob<Record: PushRecord>: Sendable {
    let name: String
    let outbox: Outbox
    /// Whether the record has anything to send now.
    let isDue: @Sendable () throws -> Bool

    init(_ key: String, in outbox: Outbox, isDue: @escaping @Sendable () throws -> Bool) {
        // Shortened to the outbox's limit for names.
        name = key.utf8.count <= 200 ? key : String(key.prefix(100)) + StableHash.hash(of: key)
        self.outbox = outbox
        self.isDue = isDue
    }

    /// Assigns the job's work; the outbox keeps both closures, which must not retain the outbox.
    ///
    /// - Parameters:
    ///   - isDue: Whether anything can be sent; `nil` if the service no longer exists.
    ///   - turn: Sends, and returns the errors; `nil` if the service no longer exists.
    func serve(
        isDue: @escaping @Sendable () throws -> Bool?,
        _ turn: @escaping @Sendable () async -> [any Error]?
    ) {
        outbox.assign(
            OutboxJob(name, isDue: isDue) {
                guard let errors = await turn() else { return nil }
                // Changes that were added meanwhile are sent by their callers, or by the job's next run.
                return Self.outcome(errors, isDue) ?? .later("more to send")
            }
        )
    }

    /// Runs work as an attempt of the job, if there is anything to send.
    func attempt<Value: Sendable>(
        _ errors: @escaping @Sendable (Result<Value, any Error>) -> [any Error],
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let isDueNow = try? isDue() else { return try await work() }
        guard isDueNow else {
            let value = try await work()
            // An earlier process may have ended between the confirmation and the removal of the entry.
            if (try? isDue()) == false { await outbox.withdraw(job: name) }
            return value
        }
        return try await outbox.attempt(name, judge: { Self.outcome(errors($0), isDue) }, work)
    }

    /// The outcome of the job for an attempt's errors; `nil` leaves it to the next run.
    private static func outcome(_ errors: [any Error], _ isDue: () throws -> Bool?) -> OutboxJob.Outcome? {
        do {
            if try isDue() == false { return .done }
        } catch {
            return .later("the store cannot be read")
        }
        let errors = errors.filter { !($0 is CancellationError) }
        guard let error = errors.first(where: { !Record.isRefusal($0) }) ?? errors.first else { return nil }
        if Record.isRefusal(error) { return .refused("\(error)") }
        let network = Record.network(of: error)
        if let network, network.refusal == nil, network.isSafeToResend { return .unreachable("\(network.code)") }
        return .later("\(error)", after: network?.retryAfter)
    }
}
