import CoreNetKit
import CoreNetKitOutbox

/// The one entry of a record in the outbox: written before a request leaves, ended when nothing is open any more.
struct PushErrand<Record: PushRecord>: Sendable {
    let name: String
    let outbox: Outbox
    /// Whether anything can be sent as the record is now.
    let isDue: @Sendable () throws -> Bool

    init(_ key: String, in outbox: Outbox, isDue: @escaping @Sendable () throws -> Bool) {
        // No longer than the name of an errand may be.
        name = key.utf8.count <= 200 ? key : String(key.prefix(100)) + StableHash.name(of: key)
        self.outbox = outbox
        self.isDue = isDue
    }

    /// Carries out the errand at its turn; the outbox keeps both closures, which must not keep the outbox.
    ///
    /// - Parameters:
    ///   - isDue: Whether anything can be sent; `nil` where nobody is there to send.
    ///   - turn: Gives the errors of what it sent; `nil` where nobody is there to send.
    func serve(
        isDue: @escaping @Sendable () throws -> Bool?,
        _ turn: @escaping @Sendable () async -> [any Error]?
    ) {
        outbox.assign(
            OutboxErrand(name, isDue: isDue) {
                guard let errors = await turn() else { return nil }
                // What has come meanwhile is its own caller's, or the next turn's.
                return Self.outcome(errors, isDue) ?? .later("more to send")
            }
        )
    }

    /// Does work as an attempt of the errand, where there is anything to do.
    func attempt<Value: Sendable>(
        _ errors: @escaping @Sendable (Result<Value, any Error>) -> [any Error],
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let isDueNow = try? isDue() else { return try await work() }
        guard isDueNow else {
            let value = try await work()
            // A process may have ended between the confirmation and the end of the entry.
            if (try? isDue()) == false { await outbox.withdraw(errand: name) }
            return value
        }
        return try await outbox.attempt(name, judge: { Self.outcome(errors($0), isDue) }, work)
    }

    /// What the errors of an attempt mean for the errand; `nil` leaves it to its turn.
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
        if let network, network.status == nil, network.isSafeToResend { return .unreachable("\(network.code)") }
        return .later("\(error)", after: network?.retryAfter)
    }
}
