public import CoreNetKitChain

extension Outbox: SessionKeeper {
    /// Requests that wait to be delivered.
    public var kept: SignOut.Kind { .requests }

    /// Removes the entries of the session's user, from the files too; what is on its way is ended first.
    ///
    /// - Parameter session: The session that has ended.
    /// - Throws: ``OutboxError`` when the folder cannot be written.
    public func letGo(of session: Partition.Session) async throws {
        let user = session.partition
        // Nothing is stored for a user whose name means nobody tomorrow.
        guard user.isStable, !user.isAnonymous else { return }
        // What is being sent must not come back as an entry between the end of its attempt and the removal.
        do {
            try await park(user)
            // By the partition's name, as entries have it: it may have more parts than one user.
            try await opened.removeAll { $0 == user.name }
        } catch {
            await unpark(user)
            throw error
        }
        await unpark(user)
    }
}
