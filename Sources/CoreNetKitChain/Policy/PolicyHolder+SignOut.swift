extension PolicyHolder {
    /// Signs out whoever is signed in, and removes what is kept for them here.
    ///
    /// First the session ends: calls of it are not sent any more, with nobody's credentials. Then all keepers let go at the
    /// same time: the token refresher, the cache, the jar, the outbox of this client, and the exchanges that its calls
    /// share. Calls that began before bring nothing back. A user who is known by name only, from a partition that is set,
    /// stays who they are until the app changes it: do that first, and sign out over a client that still has the old one.
    ///
    /// - Parameters:
    ///   - limit: How long to wait; who takes longer goes on beside and is a leftover.
    ///   - kinds: What stays for the user's next login; the tokens and shared exchanges never do.
    ///   - others: Who else keeps something of the user: objects that this client does not have.
    /// - Returns: What is left.
    @discardableResult
    public func signOut(
        within limit: Duration = .seconds(10),
        keeping kinds: Set<SignOut.Kind> = [],
        and others: [any SessionKeeper] = []
    ) async -> SignOut {
        let parts = configuration.parts
        let session = parts.endSession()
        guard !session.partition.isAnonymous else { return SignOut(leftovers: []) }
        let kinds = kinds.subtracting([.tokens, .exchanges])
        let clock = parts.clock
        // Safe to count with.
        let end = clock.now + min(limit, .seconds(Int64(1) << 40))
        let tasks = (parts.keepers + others).filter { !kinds.contains($0.kept) }.map { keeper in
            let waiter = Waiter<Void>()
            _ = Task<Void, Never>.beside {
                do {
                    waiter.resume(.success(try await keeper.letGo(of: session)))
                } catch {
                    waiter.resume(.failure(error))
                }
            }
            return (keeper.kept, waiter)
        }
        var leftovers: [SignOut.Leftover] = []
        for (kind, waiter) in tasks {
            do {
                try await waiter.value(until: end, on: clock) {
                    .failure(NetworkError(.deadlineExceeded, "\(kind) were not let go in time", node: "SignOut"))
                }
            } catch {
                leftovers.append(SignOut.Leftover(kind: kind, error: error))
            }
        }
        return SignOut(leftovers: leftovers)
    }
}

extension ChainParts {
    /// Ends the session of every policy that can, and says whose it was.
    func endSession() -> Partition.Session {
        let sessions = policies.compactMap(\.partitionProvider).map { provider in
            let session = provider.session
            provider.end(session)
            return session
        }
        return Partition.Session.combined(sessions)
    }

    /// Who keeps something for users: the policies, and what the client has one of each.
    var keepers: [any SessionKeeper] { policies.compactMap(\.keeper) + shared.keepers }
}
