import CoreNetKitChain
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

/// A rate that several processes share, as one of them has it: tokens in hand, who waits, and one question at a time.
final class SharedRate: RateSharing {
    /// What a caller gets.
    enum Turn: Sendable {
        /// Its request may be sent at that time.
        case go(Duration)
        /// It may not within its deadline, or at all; when it may, where that is known.
        case refused(wait: Duration?, String)
    }

    private struct Caller: Hashable, Sendable {
        let waiter = Waiter<Turn>()
        /// Whether the store has said anything since it came.
        let asked = Waiter<Void>()
        let deadline: Duration?

        /// - Returns: Whether it has waited for that.
        func resume(_ turn: Turn) -> Bool {
            let counts = waiter.resume(.success(turn))
            asked.resume(.success(()))
            return counts
        }

        static func == (left: Caller, right: Caller) -> Bool { left.waiter == right.waiter }
        func hash(into hasher: inout Hasher) { hasher.combine(waiter) }
    }

    private struct State: Sendable {
        var hand = TokensInHand()
        var line = WaitingLine<Caller>()
        var isAsking = false
        /// Before it the store has nothing for this process.
        var overUntil: Duration?
        /// This process's own part, while the store is away.
        var share: BucketLevel?
        var isAway = false
    }

    /// How far ahead of its time a token is asked for.
    private static let ahead = TokensInHand.age

    let settings: Settings
    let problem: String?
    private let store: any SharedStore
    private let events: @Sendable (FleetEvent) -> Void
    private let state = Locked(State())
    private let size: Int

    init(_ settings: Settings, _ store: any SharedStore, _ events: @escaping @Sendable (FleetEvent) -> Void) {
        (self.settings, self.store, self.events) = (settings, store, events)
        problem = settings.problem
        size = settings.size
    }

    func node(before next: Exchange) -> Exchange { SharedRateNode(next: next, rate: self) }

    /// A token that is there: when it may be used.
    func inHand(at now: Duration) -> Duration? {
        state.withLock { $0.line.isEmpty ? $0.hand.take(at: now) : nil }
    }

    /// A token that its caller does not use.
    func giveBack(_ ready: Duration, at now: Duration) {
        state.withLock { $0.hand.keep(1, ready: ready, at: now) }
    }

    /// Waits for what the store says, and then for the time before which it has nothing: two waits, since one is the store's.
    ///
    /// - Throws: `CancellationError`; nothing is taken then.
    func turn(_ context: RequestContext) async throws -> Turn {
        let (clock, deadline) = (context.clock, context.deadline)
        let caller = Caller(deadline: deadline)
        let (early, asks, over) = state.withLock { state -> (Turn?, Bool, Duration?) in
            let now = clock.now
            let over = state.overUntil.map { $0 - now }.flatMap { $0 > .zero ? $0 : nil }
            if let over, let deadline, deadline <= now + over { return (settings.refusal(wait: over), false, nil) }
            state.line.append(caller)
            defer { state.isAsking = true }
            return (nil, !state.isAsking, over)
        }
        if let early { return early }
        if asks { _ = Task.beside { [self] in await ask(clock) } }
        do {
            if over == nil { try await context.waiting(for: .init(.store)) { try await caller.asked.value() } }
            if let outcome = caller.waiter.outcome { return try outcome.get() }
            return try await context.waiting(for: .init(.rate, planned: over)) { try await caller.waiter.value() }
        } catch {
            leave(caller, at: clock.now)
            throw error
        }
    }

    /// A caller goes; a token that it has got meanwhile is another one's.
    private func leave(_ caller: Caller, at now: Duration) {
        _ = state.withLock { $0.line.remove(caller) }
        guard !caller.waiter.resume(.failure(CancellationError())),
            case .success(.go(let ready)) = caller.waiter.outcome
        else { return }
        giveBack(ready, at: now)
    }

    // MARK: - Asking the store

    /// Asks until nobody waits.
    private func ask(_ clock: CallClock) async {
        while let count = callers(at: clock.now) {
            let until = state.withLock { $0.overUntil }
            if let until, clock.now < until - Self.ahead { try? await clock.sleep(until: until - Self.ahead) }
            let tokens = min(settings.burst, max(size, count))
            do throws(SharedStoreError) {
                let grant = try await store.take(tokens, of: settings.bucket(longestWait: Self.ahead))
                back()
                received(grant, tokens, at: clock.now)
            } catch {
                goOn(without: error, at: clock.now)
            }
        }
    }

    /// How many wait, once those have gone for whom there is a token; `nil` where nobody does, and nobody asks any more.
    private func callers(at now: Duration) -> Int? {
        let (served, count) = state.withLock { state in
            var served: [(Caller, Duration)] = []
            while let first = state.line.first, let ready = state.hand.take(at: now) {
                state.line.remove(first)
                served.append((first, ready))
            }
            state.isAsking = !state.line.isEmpty
            return (served, state.line.count)
        }
        for (caller, ready) in served { give(caller, ready, at: now) }
        return count == 0 ? nil : count
    }

    private func give(_ caller: Caller, _ ready: Duration, at now: Duration) {
        // Who was cancelled meanwhile leaves it to the next one.
        if !caller.resume(.go(ready)) { giveBack(ready, at: now) }
    }

    private func received(_ grant: SharedGrant, _ tokens: Int, at now: Duration) {
        switch grant {
        case .granted(let wait):
            state.withLock { state in
                state.overUntil = nil
                state.hand.keep(tokens, ready: now + wait, at: now)
            }
        case .refused(let wait):
            let (late, others) = state.withLock { state -> ([Caller], [Caller]) in
                let until = now + wait.bounded
                state.overUntil = until
                let late = leave(&state) { caller in caller.deadline.map { $0 <= until } ?? false }
                return (late, state.line.elements)
            }
            for caller in late { _ = caller.resume(settings.refusal(wait: wait)) }
            for caller in others { caller.asked.resume(.success(())) }
        }
    }

    private func leave(_ state: inout State, _ leaves: (Caller) -> Bool) -> [Caller] {
        let leaving = state.line.elements.filter(leaves)
        for caller in leaving { state.line.remove(caller) }
        return leaving
    }

    // MARK: - Without the store

    private func back() {
        state.withLock { state in
            state.isAway = false
            state.share = nil
        }
    }

    /// Gives all who wait what the policy says.
    private func goOn(without error: SharedStoreError, at now: Duration) {
        noteAway(error)
        let turns = state.withLock { state -> [(Caller, Turn)] in
            state.overUntil = nil
            return leave(&state) { _ in true }.map { ($0, turn(of: $0, without: error, at: now, &state)) }
        }
        for (caller, turn) in turns {
            if !caller.resume(turn), case .go(let ready) = turn { giveBack(ready, at: now) }
        }
    }

    private func turn(
        of caller: Caller,
        without error: SharedStoreError,
        at now: Duration,
        _ state: inout State
    ) -> Turn {
        switch settings.whenAway {
        case .open: return .go(now)
        case .closed:
            return .refused(
                wait: error.retryAfter,
                "the store of the rate is unavailable, so requests are refused: \(error)"
            )
        case .localShare:
            let wait = caller.deadline.map { max(.zero, $0 - now) } ?? .forever
            let bucket = settings.share(longestWait: wait)
            // It begins empty: what was saved up is the store's to give.
            var level = state.share ?? BucketLevel(fullAt: (now + settings.shareRoom).wholeMicroseconds)
            let grant = level.take(1, of: bucket, at: now.wholeMicroseconds)
            state.share = level
            switch grant {
            case .granted(let wait): return .go(now + wait)
            case .refused(let wait): return settings.refusal(wait: wait)
            }
        }
    }

    private func noteAway(_ error: SharedStoreError) {
        let isNew = state.withLock { state in
            defer { state.isAway = true }
            return !state.isAway
        }
        guard isNew else { return }
        events(
            FleetEvent(.rate, .fellBack, "the rate '\(settings.name)' is kept as \(settings.whenAway)", cause: error)
        )
    }

    /// Counts a request that is sent in any case.
    func watch(_ clock: CallClock) {
        _ = Task.beside { [self] in
            do throws(SharedStoreError) {
                let grant = try await store.take(1, of: settings.bucket(longestWait: .zero))
                back()
                guard case .refused(let wait) = grant else { return }
                let message = "the rate '\(settings.name)' would have delayed a request by \(wait)"
                events(FleetEvent(.rate, .overLimit, message))
            } catch {
                noteAway(error)
            }
        }
    }
}
