public import CoreNetKitChain

extension Outbox: SessionKeeper {
    /// Requests that wait to be delivered.
    public var kept: SignOut.Kind { .requests }

    /// Removes the entries of the session's user, from the files too; running requests are cancelled first.
    ///
    /// - Parameter session: The session that has ended.
    /// - Throws: ``OutboxError`` when the folder cannot be written.
    public func letGo(of session: Partition.Session) async throws {
        // Nothing is stored for a user whose name means nobody tomorrow.
        guard let owner = session.partition.ownerName else { return }
        let engine = await opened
        // What is being sent must not come back as an entry between the end of its attempt and the removal.
        do {
            try await engine.park(owner)
            try await engine.removeAll { $0 == owner }
        } catch {
            await engine.unpark(owner)
            throw error
        }
        await engine.unpark(owner)
    }
}
