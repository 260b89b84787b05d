public import CoreNetKitChain

extension Outbox: SessionDataOwner {
    /// Requests that wait to be delivered.
    public var kind: SignOut.Kind { .requests }

    /// Removes the entries of the session's user, from the files too; running requests are cancelled first.
    ///
    /// - Parameter session: The session that has ended.
    /// - Throws: ``OutboxError`` when the folder cannot be written.
    public func removeData(of session: Partition.Session) async throws {
        // A user whose name is not stable across processes has no stored entries.
        guard let owner = session.partition.ownerName else { return }
        let engine = await opened
        // Parked first: a request in flight must not return as an entry between the end of its attempt and the removal.
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
