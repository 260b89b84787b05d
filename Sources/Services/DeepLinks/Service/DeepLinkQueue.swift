import CoreNetKitSystem

/// The state of a center: waiting links, waiting receivers, and the conditions for delivery.
///
/// A value without a lock and without side effects: every change returns the effects to perform after the lock is
/// released.
struct DeepLinkQueue<Link: Sendable> {
    struct Entry {
        let arrival: DeepLinkArrival<Link>
        let route: DeepLinkRoute<Link>
        let since: Duration
        var isConfirmed: Bool
    }

    struct Waiter {
        let id: Int
        /// Whether it is cancelled when the last link is dropped undelivered; a loop continues instead.
        let isOneShot: Bool
        let deliver: @Sendable (DeepLinkArrival<Link>) -> Void
        let cancel: @Sendable () -> Void
    }

    struct Effects {
        var deliveries: [(arrival: DeepLinkArrival<Link>, waiter: Waiter)] = []
        var cancelled: [Waiter] = []
        var unconfirmed: [DeepLinkArrival<Link>] = []
        var rejected: [(reason: DeepLinkError, source: DeepLinkSource)] = []
    }

    let policy: DeepLinkPolicy
    let timeToLive: Duration?
    let duplicateWindow: Duration

    var parser: DeepLinkParser<Link>
    var isReady = false
    var isAuthenticated = false
    var profile: String?
    var deliveredLink: Link?
    private(set) var entries: [Entry] = []
    private var queue = WaitQueue<Int>()
    private var waiters: [Int: Waiter] = [:]
    private var recent: [DeepLinkSource.Identity: Duration] = [:]
    private var lastID = 0

    init(parser: DeepLinkParser<Link>, policy: DeepLinkPolicy, timeToLive: Duration?, duplicateWindow: Duration) {
        (self.parser, self.policy) = (parser, policy)
        (self.timeToLive, self.duplicateWindow) = (timeToLive, duplicateWindow)
    }

    /// Takes a link; returns whether the app handles it, and the effects to perform.
    mutating func receive(_ entry: Entry) -> (isTaken: Bool, effects: Effects) {
        var effects = Effects()
        let hasLost = dropStale(at: entry.since, &effects)
        let isTaken = admit(entry, &effects)
        deliverNext(hasLost: hasLost, &effects)
        return (isTaken, effects)
    }

    /// Drops links that must not be delivered any more, and delivers those that may be.
    mutating func deliverDue(at now: Duration) -> Effects {
        var effects = Effects()
        let hasLost = dropStale(at: now, &effects)
        deliverNext(hasLost: hasLost, &effects)
        return effects
    }

    private mutating func dropStale(at now: Duration, _ effects: inout Effects) -> Bool {
        let reasons = entries.map { entry -> DeepLinkError? in
            let isExpired = timeToLive.map { now - entry.since >= $0 } ?? false
            return isExpired ? .expired : profileRefusal(of: entry)
        }
        return drop(reasons, &effects)
    }

    /// Drops the links that have a reason; their sources no longer count as duplicates.
    private mutating func drop(_ reasons: [DeepLinkError?], _ effects: inout Effects) -> Bool {
        for case (let entry, let reason?) in zip(entries, reasons) {
            effects.rejected.append((reason, entry.arrival.source))
            if let identity = entry.arrival.source.identity { recent[identity] = nil }
        }
        let kept = zip(entries, reasons).filter { $0.1 == nil }.map(\.0)
        defer { entries = kept }
        return kept.count < entries.count
    }

    private mutating func admit(_ entry: Entry, _ effects: inout Effects) -> Bool {
        let source = entry.arrival.source
        forgetOld(at: entry.since)
        if let identity = source.identity, recent[identity] != nil {
            effects.rejected.append((.duplicate, source))
            return true
        }
        if let reason = refusal(of: entry) {
            effects.rejected.append((reason, source))
            return false
        }
        switch policy {
        case .latestWins:
            _ = drop(entries.map { _ in .replaced }, &effects)
            entries = [entry]
        case .queue(let max):
            guard entries.count < max else {
                effects.rejected.append((.queueFull, source))
                return false
            }
            entries.append(entry)
        }
        deliveredLink = nil
        // Another tap came in between, so a repeated source is a new tap, unless its link still waits.
        let waiting = Set(entries.compactMap(\.arrival.source.identity))
        recent = recent.filter { $0.key.isUnique || waiting.contains($0.key) }
        if let identity = source.identity { recent[identity] = entry.since }
        if !entry.isConfirmed { effects.unconfirmed.append(entry.arrival) }
        return true
    }

    /// Ids of notifications are never reused, so the latest 256 are remembered without a time limit.
    private mutating func forgetOld(at now: Duration) {
        recent = recent.filter { $0.key.isUnique || now - $0.value < duplicateWindow }
        let unique = recent.filter(\.key.isUnique).sorted { $0.value < $1.value }
        for (identity, _) in unique.dropLast(255) { recent[identity] = nil }
    }

    private mutating func deliverNext(hasLost: Bool, _ effects: inout Effects) {
        if hasLost && entries.isEmpty { cancelOneShots(&effects) }
        while !queue.isEmpty, let arrival = take() {
            guard let waiter = queue.popFirst().flatMap({ waiters.removeValue(forKey: $0) }) else { return }
            effects.deliveries.append((arrival, waiter))
        }
    }

    mutating func discard() -> Effects {
        var effects = Effects()
        _ = drop(entries.map { _ in .discarded }, &effects)
        deliveredLink = nil
        cancelOneShots(&effects)
        return effects
    }

    mutating func confirm(_ source: DeepLinkSource, _ isConfirmed: Bool, at now: Duration) -> Effects {
        var effects = Effects()
        var hasLost = dropStale(at: now, &effects)
        if isConfirmed {
            for index in entries.indices where entries[index].arrival.source == source {
                entries[index].isConfirmed = true
            }
        } else {
            let reasons = entries.map { entry -> DeepLinkError? in
                !entry.isConfirmed && entry.arrival.source == source ? .discarded : nil
            }
            hasLost = drop(reasons, &effects) || hasLost
        }
        deliverNext(hasLost: hasLost, &effects)
        return effects
    }

    mutating func take() -> DeepLinkArrival<Link>? {
        guard let index = entries.firstIndex(where: isDeliverable) else { return nil }
        let arrival = entries.remove(at: index).arrival
        deliveredLink = arrival.link
        return arrival
    }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ waiter: Waiter) {
        queue.append(waiter.id)
        waiters[waiter.id] = waiter
    }

    mutating func removeWaiter(id: Int) -> Waiter? {
        queue.remove(id)
        return waiters.removeValue(forKey: id)
    }

    private mutating func cancelOneShots(_ effects: inout Effects) {
        for id in queue.elements where waiters[id]?.isOneShot == true {
            if let waiter = removeWaiter(id: id) { effects.cancelled.append(waiter) }
        }
    }

    private func refusal(of entry: Entry) -> DeepLinkError? {
        if case .notification(let payload) = entry.arrival.source, !payload.isTapped { return .notTapped }
        if entry.route.requirement == .authenticatedOrDropped, !isAuthenticated { return .notAuthenticated }
        return profileRefusal(of: entry)
    }

    private func profileRefusal(of entry: Entry) -> DeepLinkError? {
        guard let profiles = entry.route.profiles, let profile, !profiles.contains(profile) else { return nil }
        return .notAllowed(profile: profile)
    }

    private func isDeliverable(_ entry: Entry) -> Bool {
        guard entry.isConfirmed, entry.route.profiles == nil || profile != nil else { return false }
        return switch entry.route.requirement {
        case .none: true
        case .ready: isReady
        case .authenticated, .authenticatedOrDropped: isReady && isAuthenticated
        }
    }
}
