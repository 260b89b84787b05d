public import CoreNetKitChain
import CoreNetKitSystem

// MARK: - Login and logout

extension TokenRefresher {
    /// Signs a user in: the credential is saved, and then used.
    ///
    /// Until it is saved, calls use the old one. A logout, or a ``set(_:user:)``, in the meantime takes precedence; of
    /// two concurrent logins the later one wins. See ``set(_:user:)`` for running calls.
    ///
    /// - Parameters:
    ///   - credential: The result of the login, of the type that the refresher was created for.
    ///   - user: The user; see ``partition``.
    /// - Throws: The error of `save`, in which case nothing has changed; ``NetworkError`` with code `userChanged` after
    ///   a logout or another login in the meantime; `CancellationError` if it is cancelled before it is saved.
    public func login(_ credential: some TokenCredential, user: String? = nil) async throws {
        guard sharing == nil || user != nil else { throw Self.unnamed }
        let held = HeldCredential(credential)
        let sets = state.withLock { $0.sets }
        let scope = CallUser.refreshers.union([ObjectIdentifier(self)])
        let isTaken = try await CallUser.$refreshers.withValue(scope) {
            try await saveInOrder(held) {
                $0.sets == sets
            } then: { [self] in
                replace(by: held, user: user) { $0.sets == sets }
            }
        }
        guard isTaken else {
            throw Self.failure("a logout or another login happened while this one was saved", .userChanged)
        }
        if sharing != nil { await state.withLock { $0.saving }?.value }
    }

    /// Replaces the token: after a login, or with `nil` after a logout.
    ///
    /// Calls that began in another session end with `userChanged` before they are sent with this token; see
    /// ``session``. A running refresh is cancelled and has no effect; ``idle()`` waits for its end. After a logout only
    /// another login sets a token. Nothing is saved: see ``login(_:user:)``.
    ///
    /// - Parameters:
    ///   - token: The token of the login, or the whole credential; `nil` for a logout.
    ///   - user: The user of the token; see ``partition``.
    public func set(_ token: (any TokenCredential)?, user: String? = nil) {
        replace(by: token.map { HeldCredential($0) }, user: user) { state in
            state.sets += 1
            return true
        }
    }

    /// Sets a credential that was renewed elsewhere, for example by another process: the session continues.
    ///
    /// Does nothing after a logout. Nothing is saved.
    ///
    /// - Parameters:
    ///   - credential: The new credential of the same user.
    ///   - session: The session that it belongs to, so that the next user does not get it; `nil` for the current one.
    /// - Returns: Whether it was accepted.
    @discardableResult
    public func adopt(_ credential: some TokenCredential, in session: Partition.Session? = nil) -> Bool {
        replace(by: HeldCredential(credential), user: nil, continues: true) { state in
            !state.rules.isSignedOut && (session ?? state.session) == state.session
        }
    }

    /// Signs the user out, unless another session than this earlier value of ``session`` has begun since.
    public func end(_ session: Partition.Session) { end(session, publishes: true) }

    /// Signs the user out; not published if another process has done so and reported it.
    func end(_ session: Partition.Session, publishes: Bool) {
        replace(by: nil, user: nil, publishes: publishes) { state in
            guard state.session == session, !state.rules.isSignedOut else { return false }
            state.sets += 1
            return true
        }
    }

    /// Waits until no refresh or save is running, for example before saved data is deleted after a logout.
    public func idle() async {
        let watcher = Waiter<Void>()
        let isIdle = state.withLock { state in
            let isIdle = !state.rules.isRefreshing && state.saves == 0
            if !isIdle { state.watchers.append(watcher) }
            return isIdle
        }
        // A cancelled caller stops waiting.
        if !isIdle { try? await watcher.value() }
    }

    /// Sets the credential of calls, if `isAllowed` still returns true.
    @discardableResult
    private func replace(
        by held: HeldCredential?,
        user: String?,
        continues: Bool = false,
        publishes: Bool = true,
        if isAllowed: (inout State) -> Bool
    ) -> Bool {
        let change = state.withLock { state -> (Task<Void, Never>?, [Waiter<TokenGrant>], TokenGrant?)? in
            guard isAllowed(&state) else { return nil }
            let (callers, grant) = state.rules.set(held)
            let former = state.session
            let isSame = held != nil && user.map { Partition($0) == state.session.partition } ?? continues
            state.session =
                isSame ? state.session.renewed : .beginning(Self.partition(of: held == nil ? nil : user))
            if sharing != nil {
                if publishes { publish(held, of: held == nil ? former : state.session, &state) }
                // Its first call then detects that the login cannot be shared.
                if held != nil, Self.isUnnamed(state.session) { state.rules.invalidate() }
            }
            return (state.task, callers, grant)
        }
        guard let (task, callers, grant) = change else { return false }
        task?.cancel()
        for caller in callers { caller.resume(grant.map { .success($0) } ?? .failure(Self.signedOut)) }
        return true
    }

    static func partition(of user: String?) -> Partition {
        user.map { Partition($0) } ?? Partition("login", isStable: false)
    }

    // MARK: - Saving

    /// Saves credentials one after another, so that the last one in use is also the last one saved.
    ///
    /// `isWanted` is checked when its turn has come; `then` runs before the next save and gives the result.
    @discardableResult
    func saveInOrder(
        _ held: HeldCredential,
        if isWanted: @escaping @Sendable (inout State) -> Bool,
        then: @escaping @Sendable () -> Bool = { true }
    ) async throws -> Bool {
        guard let save else { return state.withLock(isWanted) && then() }
        let outcome = Waiter<Bool>()
        let task = state.withLock { state in
            let previous = state.saving
            let task = Task<Void, Never>.startSeparately { [self] in
                await previous?.value
                do {
                    try Task.checkCancellation()
                    let isWanted = self.state.withLock(isWanted)
                    if isWanted { try await save(held.credential) }
                    outcome.resume(.success(isWanted && then()))
                } catch {
                    outcome.resume(.failure(error))
                }
                endSave()
            }
            state.saves += 1
            state.saving = task
            return task
        }
        // Waits for a save that has begun even after a cancellation, because it may have taken effect.
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try await outcome.value()
    }

    func endSave() {
        let watchers = state.withLock { state in
            state.saves -= 1
            if state.saves == 0 { state.saving = nil }
            return state.idleWatchers()
        }
        for watcher in watchers { watcher.resume(.success(())) }
    }

    /// The credential as the type that the refresher's closures use.
    static func own<Credential: TokenCredential>(_ credential: any TokenCredential) throws -> Credential {
        guard let own = credential as? Credential else {
            throw failure("a \(type(of: credential)) is not a \(Credential.self), the credential of this refresher")
        }
        return own
    }
}
