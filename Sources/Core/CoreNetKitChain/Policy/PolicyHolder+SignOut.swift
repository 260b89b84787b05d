import CoreNetKitSystem

extension PolicyHolder {
    /// Signs out the current user, and removes their data from the objects of this client; returns what remains.
    ///
    /// First the session ends: its calls are no longer sent, with any credentials. Then all keepers delete their data
    /// at the same time: the token refresher, the cache, the cookie jar, the outbox, exchanges shared by calls, and
    /// `others`, which do not belong to this client. Calls that began before store nothing afterwards. A user known
    /// only from `set(partition:)` remains the user until the app changes the partition: do that first, and sign out
    /// through a client that still has the old one.
    ///
    /// A keeper that takes longer than the limit continues in the background and is reported as a leftover. Data of
    /// some kinds can be kept for the user's next login, but never tokens and shared exchanges.
    @discardableResult
    public func signOut(
        within limit: Duration = .seconds(10),
        keeping kinds: Set<SignOut.Kind> = [],
        and others: [any SessionDataOwner] = []
    ) async -> SignOut {
        let parts = configuration.parts
        let session = parts.endSession()
        guard !session.partition.isAnonymous else { return SignOut(leftovers: []) }
        let kinds = kinds.subtracting([.tokens, .exchanges])
        let clock = parts.clock
        let end = clock.time(after: limit)
        let tasks = (parts.keepers + others).filter { !kinds.contains($0.kind) }.map { keeper in
            let waiter = Waiter<Void>()
            _ = Task<Void, Never>.startSeparately {
                do {
                    waiter.resume(.success(try await keeper.removeData(of: session)))
                } catch {
                    waiter.resume(.failure(error))
                }
            }
            return (keeper.kind, waiter)
        }
        var leftovers: [SignOut.Leftover] = []
        for (kind, waiter) in tasks {
            do {
                try await waiter.value(until: end, on: clock) {
                    .failure(NetworkError(.deadlineExceeded, "\(kind) were not removed in time", node: "SignOut"))
                }
            } catch {
                leftovers.append(SignOut.Leftover(kind: kind, error: error))
            }
        }
        return SignOut(leftovers: leftovers)
    }
}

extension ChainParts {
    /// Ends the session of every policy that has one, and returns their combination.
    func endSession() -> Partition.Session {
        let sessions = policies.compactMap(\.partitionProvider).map { provider in
            let session = provider.session
            provider.end(session)
            return session
        }
        return Partition.Session.combined(sessions)
    }

    /// The keepers of users' data: those of the policies, and the client's shared objects.
    var keepers: [any SessionDataOwner] { policies.compactMap(\.keeper) + shared.keepers }
}
