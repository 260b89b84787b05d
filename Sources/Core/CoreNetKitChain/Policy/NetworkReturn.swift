package import CoreNetKitSystem

/// What the machine's network is, as whoever waits for it wants to know.
package struct NetworkState: Sendable, Hashable {
    package let isReachable: Bool
    /// How often the network has come back: a listener that was busy meanwhile sees that it was away.
    package let returns: Int

    package init(isReachable: Bool, returns: Int = 0) { (self.isReachable, self.returns) = (isReachable, returns) }

    /// The state after one more piece of news.
    package func followed(by isReachable: Bool) -> NetworkState {
        NetworkState(isReachable: isReachable, returns: returns + (isReachable && !self.isReachable ? 1 : 0))
    }
}

/// Tells those who wait before they try again that the network is back; stands at no position.
///
/// The outbox, streams of events and sockets look for it among the policies of their client. Nobody asks it whether to try: a
/// machine may be mistaken about its network.
package struct NetworkReturn: ChainPolicy {
    /// Clients notice in the same moment; in this time after it they come back one by one.
    package static let window: Duration = .seconds(1)

    package let feed: StateFeed<NetworkState>
    /// Who watches for as long as somebody holds this.
    private let watcher: any Sendable

    package init(_ feed: StateFeed<NetworkState>, by watcher: any Sendable) {
        (self.feed, self.watcher) = (feed, watcher)
    }

    package var positions: [ChainPosition] { [] }
    package var scope: PolicyScope { .none }

    package func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }

    /// Sleeps until a time, or until the network has come back and a moment has passed.
    ///
    /// - Parameters:
    ///   - end: When it ends in any case.
    ///   - earliest: What a server has asked for: no return of the network ends the sleep before.
    ///   - clock: Whose times these are.
    ///   - random: A number of 0..<1, which part of the window is waited.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until end: Duration, earliest: Duration, on clock: CallClock, random: Double) async throws {
        // From now on: the tasks below may begin later.
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

    /// Returns when the network has come back once more; `false` where that will not be told any more.
    private func hasReturned(since returns: Int) async -> Bool {
        for await state in feed.values where state.returns != returns { return true }
        return false
    }
}

extension ChainParts {
    /// Sleeps before another try, no longer than until the network is back where somebody watches it.
    ///
    /// - Parameters:
    ///   - wait: How long, at most.
    ///   - asked: How long a server has asked for.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(for wait: Duration, asked: Duration?) async throws {
        let end = clock.time(after: wait)
        guard let network = policy(NetworkReturn.self) else { return try await clock.sleep(until: end) }
        let earliest = clock.time(after: asked ?? .zero)
        try await network.sleep(until: end, earliest: earliest, on: clock, random: random.next())
    }
}
