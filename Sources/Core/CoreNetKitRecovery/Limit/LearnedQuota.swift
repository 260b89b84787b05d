/// The rules of a quota that a server reports: how many requests may still be sent, and when.
///
/// Requests have numbers, in the order in which they are sent. What a report has left is at least counted from the last request
/// that had ended when its own was sent, and at most from the last one that was sent before it arrived. When the quota should be
/// restored, one request is allowed, and its report shows the rest: so it may be restored at once, step by step or continuously.
/// A plain value, like `RateState`.
struct LearnedQuota: Sendable {
    /// How long a report is awaited before another request is sent without one.
    private static let reportWait = Duration.seconds(1)

    /// By how much processes that share a quota stretch what is left, because each knows what its own last response had left.
    private static let slack = 1.15

    private var limit = 0
    /// The number of the last allowed request.
    private var allowed = Int.max
    private var sent = 0
    var ended = 0
    private var lastSent = Duration.zero
    /// Reports of requests that were sent earlier are about an earlier restoration.
    private var start = Duration.zero
    /// The time of the restoration is between these.
    private var earliest = Duration.zero
    private(set) var latest = Duration.zero
    /// The time between requests of all who share the quota, if half of it is left or less.
    private var spacing: Duration?
    /// Whether the last restoration was a whole one: then its time does not move, and reports make it more exact.
    private var isRestoredWhole = false

    var isInUse: Bool { sent > ended }

    /// The time of the next request after some others.
    mutating func turn(at now: Duration, ahead: Int) -> Duration {
        if sent >= allowed {
            let probe = isInUse ? max(latest, lastSent + Self.reportWait) : latest
            guard now >= probe else { return probe }
            allowed = sent + 1
        }
        let left = allowed - sent
        guard left > ahead else { return latest }
        guard left - ahead <= limit / 5 else { return now }
        return lastSent + (earliest - lastSent) / (left + 1) * (ahead + 1)
    }

    /// The time between requests of all who share the quota, and when it is restored; `nil` while requests are free.
    func pace(at now: Duration) -> (spacing: Duration, end: Duration)? {
        spacing.flatMap { now < earliest ? ($0, earliest) : nil }
    }

    /// Counts a request; returns the number of those that have ended.
    mutating func send(at now: Duration) -> Int {
        (sent, lastSent) = (sent + 1, now)
        return ended
    }

    /// Learns from the response to a request; `before` is the number of requests that had ended when it was sent, `nil` if it was
    /// not counted.
    mutating func learn(_ report: QuotaReport, sent: Duration, after before: Int?, at now: Duration) {
        if before == nil { (self.sent, ended, lastSent) = (self.sent + 1, ended + 1, max(lastSent, sent)) }
        let (earliest, latest) = (sent + report.shortest, now + report.longest)
        guard sent >= start, latest >= self.earliest else { return }
        limit = report.limit ?? max(limit, report.left + 1)
        if let before { allowed = max(allowed, before + 1 + report.left) }
        allowed = min(allowed, self.sent + report.left)
        if sent >= self.latest { isRestoredWhole = report.left > limit / 2 }
        if sent >= self.latest || earliest > self.latest {
            (start, self.earliest, self.latest) = (sent, earliest, latest)
        } else {
            self.earliest = max(self.earliest, earliest)
            self.latest = isRestoredWhole ? min(self.latest, latest) : latest
        }
        spacing = report.left <= limit / 2 ? (self.earliest - now) / max(1, report.left) * Self.slack : nil
    }
}
