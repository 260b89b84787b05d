public import CoreNetKit
import CoreNetKitSystem

extension SignOut.Kind {
    /// Registrations of a user on this device.
    public static let registrations = SignOut.Kind("registrations")
}

extension PushIdentity: SessionDataOwner {
    /// The kind of data: registrations.
    public var kind: SignOut.Kind { .registrations }

    /// Unregisters the session's user from this device, and waits until all members have finished.
    ///
    /// The user is identified by the name given to ``login(_:)``, which must be one of those that the session's
    /// partition names. Another user who has signed in here meanwhile stays registered.
    /// - Parameter session: The session that has ended.
    /// - Throws: The error of a request that was not sent; it stays stored, and is sent by ``flush()`` or by the outbox.
    public func removeData(of session: Partition.Session) async throws {
        let user = session.partition
        let refusal = try notifying.withLock { _ in
            try registrar.change { record in
                if let present = record.user, user.names(present) { record.signOut() }
            }
            return try note()
        }
        // The error of notifying a member is more specific than the error of the flush.
        do { try await registrar.flush { user.names($0) } } catch { throw refusal ?? error }
    }
}
