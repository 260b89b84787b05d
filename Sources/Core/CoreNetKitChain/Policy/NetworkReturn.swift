package import CoreNetKitSystem

/// The state of the machine's network, for code that waits to try again.
package struct NetworkState: Sendable, Hashable {
    package let isReachable: Bool
    /// The number of returns of the network: a listener that was busy meanwhile detects an outage by it.
    package let returns: Int

    package init(isReachable: Bool, returns: Int = 0) { (self.isReachable, self.returns) = (isReachable, returns) }

    package func followed(by isReachable: Bool) -> NetworkState {
        NetworkState(isReachable: isReachable, returns: returns + (isReachable && !self.isReachable ? 1 : 0))
    }
}

/// Reports that the network is back, to end waits before another attempt; it has no position.
///
/// The outbox, event streams and sockets look it up among the policies of their client. It never decides whether to try,
/// because a machine may be mistaken about its network.
package struct NetworkReturn: ChainPolicy {
    /// All clients notice the return at the same moment; each continues at a random time within this interval.
    package static let window: Duration = .seconds(1)

    package let feed: StateFeed<NetworkState>
    /// The observer of the network, kept alive by this value.
    private let watcher: any Sendable

    package init(_ feed: StateFeed<NetworkState>, by watcher: any Sendable) {
        (self.feed, self.watcher) = (feed, watcher)
    }

    package var positions: [ChainPosition] { [] }
    package var scope: PolicyScope { .none }

    package func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }

    /// Sleeps until a time, or until the network has returned and a random moment has passed, not before `earliest`.
    package func sleep(until end: Duration, earliest: Duration, on clock: CallClock, random: Double) async throws {
        // Read now, because the tasks below may begin later.
        let returns = feed.value.returns
        let isBack = try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask {
                try await clock.sleep(until: end)
                return false
            }
            group.addTask { await hasReturned(since: returns) ? true : nil }
            defer { group.cancelAll() }
            while let isBack = try await group.next() {
                if let isBack { return isBack }
            }
            return false
        }
        guard isBack else { return }
        try await clock.sleep(until: min(end, max(earliest, clock.now + Self.window * random)))
    }

    /// Waits for one more return of the network; `false` if no more reports will follow.
    private func hasReturned(since returns: Int) async -> Bool {
        for await state in feed.values where state.returns != returns { return true }
        return false
    }
}

extension ChainParts {
    /// Sleeps before another attempt, at least as long as a server asked for; if the client observes the network, its
    /// return ends the sleep.
    package func sleep(for wait: Duration, atLeast: Duration?) async throws {
        let end = clock.time(after: wait)
        guard let network = policy(NetworkReturn.self) else { return try await clock.sleep(until: end) }
        let earliest = clock.time(after: atLeast ?? .zero)
        try await network.sleep(until: end, earliest: earliest, on: clock, random: random.next())
    }
}
