import CoreNetKit
import CoreNetKitOutbox

/// A record's only entry in the outbox: written before a request leaves, ended when nothing is pending any more.
struct PushErrand<Record: PushRecord>: Sendable {
    let name: String
    let outbox: Outbox
    /// Whether the record now has anything to send.
    let isDue: @Sendable () throws -> Bool

    init(_ key: String, in outbox: Outbox, isDue: @escaping @Sendable () throws -> Bool) {
        // At most as long as an errand's name may be.
        name = key.utf8.count <= 200 ? key : String(key.prefix(100)) + StableHash.name(of: key)
        self.outbox = outbox
        self.isDue = isDue
    }

    /// Runs the errand at its turn; the outbox keeps both closures, which must not retain the outbox.
    ///
    /// - Parameters:
    ///   - isDue: Whether anything can be sent; `nil` if no service is there to send it.
    ///   - turn: Returns the errors of what it sent; `nil` if no service is there to send it.
    func serve(
        isDue: @escaping @Sendable () throws -> Bool?,
        _ turn: @escaping @Sendable () async -> [any Error]?
    ) {
        outbox.assign(
            OutboxErrand(name, isDue: isDue) {
                guard let errors = await turn() else { return nil }
                // What was added meanwhile is sent by its own caller, or at the next turn.
                return Self.outcome(errors, isDue) ?? .later("more to send")
            }
        )
    }

    /// Runs work as an attempt of the errand, if there is anything to send.
    func attempt<Value: Sendable>(
        _ errors: @escaping @Sendable (Result<Value, any Error>) -> [any Error],
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let isDueNow = try? isDue() else { return try await work() }
        guard isDueNow else {
            let value = try await work()
            // A process may have ended between the confirmation and the removal of the entry.
            if (try? isDue()) == false { await outbox.withdraw(errand: name) }
            return value
        }
        return try await outbox.attempt(name, judge: { Self.outcome(errors($0), isDue) }, work)
    }

    /// What an attempt's errors mean for the errand; `nil` leaves it to its turn.
    private static func outcome(_ errors: [any Error], _ isDue: () throws -> Bool?) -> OutboxErrand.Outcome? {
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
