package import CoreNetKitChain
package import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Who shares the credential of a login with other processes, so that all of them renew it once.
///
/// A refresher asks it for each renewal, one at a time, and tells it of logins and logouts, in their order.
package protocol CredentialSharing: Sendable {
    /// Makes a new credential of one.
    typealias Refresh = @Sendable ((any TokenCredential)?) async throws -> any TokenCredential

    /// What is wrong with the settings, on one line.
    var problem: String? { get }

    /// A credential that is newer than the current one: what another process has made, or what this one makes for all.
    ///
    /// - Parameters:
    ///   - current: What this process has.
    ///   - user: Whose it is.
    ///   - date: The time of day.
    ///   - refresh: Asks the server for a new one.
    /// - Returns: The new credential.
    /// - Throws: ``LoginEndedElsewhere``, or why there is none.
    func renewed(
        _ current: (any TokenCredential)?,
        of user: Partition,
        date: @escaping @Sendable () -> Date,
        by refresh: @escaping Refresh
    ) async throws -> any TokenCredential

    /// Tells the others of a login or, with `nil`, of a logout; what cannot be told now is told later.
    func tell(_ credential: (any TokenCredential)?, of user: Partition) async
}

/// The call that a shared refresh works for, which is told what of its wait is the store's time.
package enum RefreshLeader {
    @TaskLocal package static var context: RequestContext?
}

/// Another process has signed the user out.
package struct LoginEndedElsewhere: Error {
    package init() {}
}

extension TokenRefresher {
    /// Creates a refresher whose credential several processes share.
    ///
    /// `sharing` shares it; `user` says whose it is, never `nil`, so that no process gets another user's; `refresh` runs in one
    /// process at a time. The others are as for one process.
    package convenience init<Credential: TokenCredential>(
        sharing: any CredentialSharing,
        token: Credential?,
        origins: Origins,
        user: String,
        margin: Duration,
        timeout: Duration,
        coolDown: Duration,
        fields: @escaping @Sendable (AccessToken) -> Headers,
        refuses: @escaping @Sendable (NetworkError) -> Bool,
        save: (@Sendable (_ credential: Credential) async throws -> Void)?,
        refresh: @escaping @Sendable (_ current: Credential?) async throws -> Credential
    ) {
        var keep: AnySave?
        if let save { keep = { credential in try await save(try Self.own(credential)) } }
        let settings = Settings(origins, margin, timeout, coolDown, fields, refuses)
        self.init(settings, token, user: user, save: keep, sharing: sharing) { current in
            try await refresh(current as? Credential)
        }
    }

    static let unnamed = failure("a shared token needs a user: name one with each login", .invalidChain)

    /// What becomes of a login without a name, which nobody may share: its calls fail.
    static func isUnnamed(_ session: Partition.Session) -> Bool {
        session.partition.isAnonymous || !session.partition.isStable
    }

    /// Tells the others of a login or a logout, after what is being saved and told already.
    func tell(_ held: HeldCredential?, of session: Partition.Session, _ state: inout State) {
        guard let sharing, !Self.isUnnamed(session) else { return }
        let previous = state.saving
        state.saves += 1
        state.saving = Task.beside { [self] in
            await previous?.value
            await sharing.tell(held?.whole, of: session.partition)
            leaveLine()
        }
    }

    /// Gets a new credential: from the server, or from whoever has it already.
    func renewed(
        _ current: (any TokenCredential)?,
        in session: Partition.Session,
        _ date: @escaping @Sendable () -> Date
    ) async throws -> any TokenCredential {
        guard let sharing else { return try await refresh(current) }
        guard !Self.isUnnamed(session) else { throw Self.unnamed }
        // What was told before is known before.
        await state.withLock { $0.saving }?.value
        do {
            return try await sharing.renewed(current, of: session.partition, date: date, by: refresh)
        } catch is LoginEndedElsewhere {
            endHere(session)
            throw Self.signedOut
        }
    }
}
