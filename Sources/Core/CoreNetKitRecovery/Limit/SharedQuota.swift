/// What processes with the same quota know together: their requests have common numbers, taken before they are sent.
package struct SharedQuota: Sendable, Equatable {
    /// The last number that was taken, how many of these requests have ended, and the last number that may be taken.
    fileprivate var granted, ended, allowed: Int
    /// The number of the first request after the last restoration.
    fileprivate var window: Int
    /// The time to the next restoration, when this was written.
    package fileprivate(set) var wait: Duration

    /// Its numbers in a line, the time in microseconds.
    package var text: String { "\(granted) \(ended) \(allowed) \(window) \(Int(wait / .microseconds(1)))" }
}

extension SharedQuota {
    /// Reads ``text``; `nil` if it is something else.
    package init?(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 5, numbers.allSatisfy({ 0...1 << 50 ~= $0 }) else { return nil }
        (granted, ended, allowed, window) = (numbers[0], numbers[1], numbers[2], numbers[3])
        wait = .microseconds(numbers[4])
    }
}

/// Where processes with the same quotas keep what they know of them.
package protocol QuotaSharing: Sendable {
    /// The problem of the settings, on one line.
    var problem: String? { get }

    /// Changes a quota in one step; `change` is called again if another process was faster.
    ///
    /// - Returns: The last change; `nil` if the store is unavailable.
    func update(_ name: String, _ change: @Sendable (SharedQuota?) -> QuotaChange) async -> QuotaChange?
}

/// A quota in the store after a process has changed it.
package struct QuotaChange: Sendable {
    package fileprivate(set) var quota: SharedQuota
    /// The number of permits that the process has taken.
    fileprivate var permits = 0
    /// Whether the permit is for the first request after a restoration.
    fileprivate var isProbe = false
}

/// A process's part of a shared quota.
struct QuotaShare: Sendable {
    /// How long permits are kept, and how long the requests of others are awaited before the store is asked again.
    fileprivate static let pause = Duration.milliseconds(100)

    /// The last restoration that is known; `nil` while the process learns alone.
    fileprivate var window: Int?
    fileprivate var inHand = 0
    fileprivate var inFlight = 0
    /// What is not told yet: how many requests have ended, what reports allow at least, and what the last one had left.
    fileprivate var (ended, low, left) = (0, 0, Int?.none)
    /// Requests that were sent earlier count as ended.
    fileprivate var start = Duration.zero
    /// Whether a report says when the quota is restored, and what the store says.
    fileprivate var (isTimed, wait) = (false, Duration.zero)
    fileprivate var askTime = Duration.zero
    /// The last number that was taken, and when this was seen.
    fileprivate var (granted, grantTime) = (0, Duration.zero)

    var isAlone: Bool { window == nil }
    var isInUse: Bool { inFlight > 0 }

    mutating func send() { (inFlight, inHand) = (inFlight + 1, max(0, inHand - 1)) }

    /// - Returns: Whether the end counts.
    mutating func end(sent: Duration) -> Bool {
        inFlight -= 1
        guard isAlone || sent >= start else { return false }
        ended += 1
        return true
    }

    mutating func learn(_ left: Int, atLeast low: Int, above allowed: Int) {
        (self.left, self.low, isTimed) = (left, max(self.low, low), true)
        if self.low > allowed { askTime = .zero }
    }

    mutating func forgetNews() { (ended, low, left, inHand) = (0, 0, nil, 0) }

    /// The time of a request whose turn comes then: with a permit, or when the store may be asked.
    func time(_ turn: Duration) -> Duration { inHand > 0 ? turn : max(turn, askTime) }
}

extension LearnedQuota {
    /// Whether the first caller has to ask the store for a permit now.
    func asks(at now: Duration) -> Bool {
        guard let share, now >= share.askTime, share.inHand == 0 || now > share.grantTime + QuotaShare.pause
        else { return false }
        return share.isAlone || sent >= allowed || paced(at: now, ahead: 0) <= now
    }

    /// When the first caller looks again, at most until its turn.
    func wake(before turn: Duration) -> Duration {
        guard let share, !share.isAlone, share.inHand == 0, sent >= allowed else { return turn }
        return min(turn, share.askTime)
    }

    /// What to tell the store, which is told once.
    mutating func takeNews() -> LearnedQuota {
        defer { share?.forgetNews() }
        return self
    }

    /// Adds this to what the store has, and takes permits for callers.
    func added(to stored: SharedQuota?, for callers: Int, at now: Duration) -> QuotaChange {
        let share = share ?? QuotaShare()
        let wait = min(max(.zero, latest - now), .seconds(1_000_000_000))
        let last = min(allowed, sent + 1 << 40)
        let stored = stored ?? SharedQuota(granted: sent, ended: ended, allowed: last, window: sent, wait: wait)
        var new = stored
        if share.window == new.window {
            new.ended = min(new.granted, new.ended + share.ended)
            new.allowed = max(new.allowed, share.low)
            if let left = share.left, wait > .zero { new.allowed = min(new.allowed, new.granted + left) }
            // Permits that are too old count as used, and are replaced.
            (new.ended, new.allowed) = (new.ended + share.inHand, new.allowed + share.inHand)
        }
        let isQuiet = new.ended >= new.granted || now >= share.grantTime + Self.reportWait
        // One that learned alone may know that the quota was restored.
        let isDue = share.isAlone ? allowed > sent : share.window == new.window && wait == .zero && isQuiet
        var permits = 0
        let free = new.allowed - new.granted
        if free > 0 {
            // For the callers while much is left, or for 10 ms.
            let soon = min(1000, Double(free) * (.milliseconds(10) / max(new.wait, .milliseconds(80))))
            permits = max(1, Int(soon), min(callers, (free - limit / 5) / 2))
            new.granted += permits
        } else if isDue {
            // What was sent before, the server has counted; what was not, is not sent.
            let first = new.granted + 1
            new = .init(granted: first, ended: first - 1, allowed: first, window: first, wait: Self.reportWait)
            return QuotaChange(quota: new, permits: 1, isProbe: true)
        }
        if new != stored, share.window == new.window, share.isTimed, wait > .zero { new.wait = wait }
        return QuotaChange(quota: new, permits: permits)
    }

    /// Takes over what the store has; `nil` if it is unavailable.
    mutating func receive(_ change: QuotaChange?, at now: Duration) {
        guard var share else { return }
        defer { self.share = share }
        guard let change else {
            // The requests of the others are not counted any more.
            ended = sent - share.inFlight
            (share.window, share.inHand, share.askTime) = (nil, 0, now + Self.reportWait)
            return
        }
        let new = change.quota
        if share.window != new.window {
            share.isTimed = share.isAlone && latest > now
            if !change.isProbe, !share.isTimed { restore(at: now, next: now + new.wait) }
            (share.window, share.start) = (new.window, now)
            share.forgetNews()
        } else if !share.isTimed, new.wait != share.wait {
            latest = now + new.wait
        }
        (share.wait, share.inHand) = (new.wait, share.inHand + change.permits)
        (sent, ended, allowed) = (new.granted - share.inHand, new.ended + share.ended, new.allowed)
        if new.granted != share.granted { (share.granted, share.grantTime) = (new.granted, now) }
        let isQuiet = new.ended >= new.granted
        let next = isQuiet ? latest : max(latest, share.grantTime + Self.reportWait)
        let end = now + (isQuiet ? Self.reportWait : QuotaShare.pause)
        share.askTime = share.inHand > 0 ? .zero : min(max(next, now + .milliseconds(1)), end)
    }
}
