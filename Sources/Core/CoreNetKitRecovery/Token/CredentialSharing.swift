package import CoreNetKitChain
package import CoreNetKitEssentials
import CoreNetKitSystem

/// Shares the credential of a login with other processes, so that all of them together renew it only once.
///
/// A refresher calls it for each renewal, one at a time, and reports logins and logouts to it, in order.
package protocol CredentialSharing: Sendable {
    typealias Refresh = @Sendable ((any TokenCredential)?) async throws -> any TokenCredential

    var problem: String? { get }

    /// Returns a credential newer than the current one, obtained by another process or by this one for all; throws
    /// ``LoginEndedElsewhere``, or the reason why there is none.
    func renew(
        _ current: (any TokenCredential)?,
        of user: Partition,
        date: @escaping @Sendable () -> Date,
        by refresh: @escaping Refresh
    ) async throws -> any TokenCredential

    /// Whether a request that may use up a credential is in flight: cancelling it would leave its outcome unknown, and it
    /// has its own time limit.
    var isSending: Bool { get }

    /// Reports a login or, with `nil`, a logout to the other processes; if that fails now, it is repeated later.
    func publish(_ credential: (any TokenCredential)?, of user: Partition) async
}

package struct LoginEndedElsewhere: Error {
    package init() {}
}

extension TokenRefresher {
    /// The call that a shared refresh works for; its record shows the time spent on the store.
    @TaskLocal package static var leader: RequestContext?

    static let unnamed = failure("a shared token needs a user: name one with each login", .invalidChain)

    /// Whether a login has no name that processes can share: its calls fail.
    static func isUnnamed(_ session: Partition.Session) -> Bool {
        session.partition.isAnonymous || !session.partition.isStable
    }

    /// Reports a login or a logout to other processes, after earlier saves and reports.
    func publish(_ held: HeldCredential?, of session: Partition.Session, _ state: inout State) {
        guard let sharing, !Self.isUnnamed(session) else { return }
        let previous = state.saving
        state.saves += 1
        state.saving = Task.startSeparately { [self] in
            await previous?.value
            await sharing.publish(held?.credential, of: session.partition)
            endSave()
        }
    }

    /// Gets a new credential, from the server or from another process.
    func renew(
        _ current: (any TokenCredential)?,
        in session: Partition.Session,
        _ date: @escaping @Sendable () -> Date
    ) async throws -> any TokenCredential {
        guard let sharing else { return try await refresh(current) }
        guard !Self.isUnnamed(session) else { throw Self.unnamed }
        // Waits for earlier reports.
        await state.withLock { $0.saving }?.value
        do {
            return try await sharing.renew(current, of: session.partition, date: date, by: refresh)
        } catch is LoginEndedElsewhere {
            end(session, publishes: false)
            throw Self.signedOut
        }
    }
}
