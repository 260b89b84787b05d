import CoreNetKit

/// What a center knows: the links that wait, those who wait for links, and what has to hold between them.
///
/// A value without a lock and without effects: every change says what is to be done once the lock is released.
struct DeepLinkQueue<Link: Sendable> {
    struct Entry {
        let link: Link
        let route: DeepLinkRoute<Link>
        let source: DeepLinkSource
        let since: Duration
    }

    enum Waiter {
        case observer(Context<Link>)
        case stream(CheckedContinuation<Link?, Never>)
    }

    struct Effects {
        var handed: [(link: Link, waiter: Waiter)] = []
        var canceled: [Waiter] = []
        var rejected: [(reason: DeepLinkError, source: DeepLinkSource)] = []
    }

    let policy: DeepLinkPolicy
    let timeToLive: Duration?
    let duplicateWindow: Duration

    var isReady = false
    var isAuthenticated = false
    var profile: String?
    var delivered: Link?
    private(set) var entries: [Entry] = []
    private var waiters: [(id: Int, waiter: Waiter)] = []
    private var recent: [String: Duration] = [:]
    private var lastID = 0

    init(policy: DeepLinkPolicy, timeToLive: Duration?, duplicateWindow: Duration) {
        self.policy = policy
        self.timeToLive = timeToLive
        self.duplicateWindow = duplicateWindow
    }

    /// Takes a link; whether it is one of the app's to handle, and what is to be done.
    mutating func receive(_ entry: Entry) -> (isTaken: Bool, effects: Effects) {
        var effects = Effects()
        let hasLost = dropStale(at: entry.since, &effects)
        let isTaken = admit(entry, &effects)
        handOver(hasLost: hasLost, &effects)
        return (isTaken, effects)
    }

    /// Drops what must not be delivered any more, and hands over what may be.
    mutating func settle(at now: Duration) -> Effects {
        var effects = Effects()
        let hasLost = dropStale(at: now, &effects)
        handOver(hasLost: hasLost, &effects)
        return effects
    }

    private mutating func dropStale(at now: Duration, _ effects: inout Effects) -> Bool {
        let stale = entries.map { entry -> DeepLinkError? in
            let isExpired = timeToLive.map { now - entry.since >= $0 } ?? false
            return isExpired ? .expired : profileRefusal(of: entry)
        }
        let all = zip(entries, stale)
        for case (let entry, let reason?) in all { effects.rejected.append((reason, entry.source)) }
        entries = all.filter { $0.1 == nil }.map(\.0)
        return entries.count < stale.count
    }

    private mutating func admit(_ entry: Entry, _ effects: inout Effects) -> Bool {
        recent = recent.filter { entry.since - $0.value < duplicateWindow }
        if let identity = entry.source.identity, recent[identity] != nil {
            effects.rejected.append((.duplicate, entry.source))
            return true
        }
        if let reason = refusal(of: entry) {
            effects.rejected.append((reason, entry.source))
            return false
        }
        switch policy {
        case .latestWins:
            effects.rejected += entries.map { (.replaced, $0.source) }
            entries = [entry]
        case .queue(let max):
            guard entries.count < max else {
                effects.rejected.append((.queueFull, entry.source))
                return false
            }
            entries.append(entry)
        }
        delivered = nil
        if let identity = entry.source.identity { recent[identity] = entry.since }
        return true
    }

    private mutating func handOver(hasLost: Bool, _ effects: inout Effects) {
        if hasLost && entries.isEmpty { cancelObservers(&effects) }
        while !waiters.isEmpty, let link = take() {
            effects.handed.append((link, waiters.removeFirst().waiter))
        }
    }

    /// Drops every link, and cancels those who wait for one.
    mutating func discard() -> Effects {
        var effects = Effects()
        effects.rejected = entries.map { (.discarded, $0.source) }
        entries = []
        delivered = nil
        cancelObservers(&effects)
        return effects
    }

    /// Takes the first link that may be delivered.
    mutating func take() -> Link? {
        guard let index = entries.firstIndex(where: isDeliverable) else { return nil }
        let link = entries.remove(at: index).link
        delivered = link
        return link
    }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ waiter: Waiter, id: Int) {
        waiters.append((id, waiter))
    }

    mutating func removeWaiter(id: Int) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
    }

    private mutating func cancelObservers(_ effects: inout Effects) {
        waiters.removeAll { _, waiter in
            guard case .observer = waiter else { return false }
            effects.canceled.append(waiter)
            return true
        }
    }

    private func refusal(of entry: Entry) -> DeepLinkError? {
        if case .notification(let payload) = entry.source, !payload.isTapped { return .notTapped }
        if entry.route.requirement == .authenticatedOrDropped, !isAuthenticated { return .notAuthenticated }
        return profileRefusal(of: entry)
    }

    private func profileRefusal(of entry: Entry) -> DeepLinkError? {
        guard let profiles = entry.route.profiles, let profile, !profiles.contains(profile) else { return nil }
        return .notAllowed(profile: profile)
    }

    private func isDeliverable(_ entry: Entry) -> Bool {
        guard entry.route.profiles == nil || profile != nil else { return false }
        return switch entry.route.requirement {
        case .none: true
        case .ready: isReady
        case .authenticated, .authenticatedOrDropped: isReady && isAuthenticated
        }
    }
}
