/// The rules of a quota that a server reports: how many requests may still be sent, and when.
///
/// Requests are free until a fifth of the quota is left; the rest is spread over the time to the restoration. Reports
/// arrive late and in any order, and their times are not exact: the quota is restored at the latest time that no report
/// excludes. Whether it is then restored whole is learned from the first request after it, for which the others wait. A
/// plain value, like `RateState`.
struct LearnedQuota: Sendable {
    /// The requests of which a report knows nothing.
    struct Uncounted: Sendable {
        /// Those that were in flight when the reported one was sent.
        let before: Int
        /// Those that were sent after it.
        let after: Int
    }

    /// The wait for the first report after a restoration.
    private static let probeWait = Duration.seconds(1)

    private(set) var limit: Int
    private(set) var left: Int
    /// The latest time of the restoration.
    private(set) var end: Duration
    private var period: Duration
    /// Reports of requests that were sent earlier belong to an earlier period.
    private var start: Duration
    private var isRestoredWhole = false
    /// Whether there was no report since the restoration.
    private var isFresh = false
    private var spent = 0
    private var last: Duration?
    /// The earliest time of the restoration, and the requests since then: they may count in the next period.
    private var earliest: Duration
    private var spentLate = 0

    init(_ report: QuotaReport, sent: Duration, _ uncounted: Uncounted, at now: Duration) {
        limit = max(report.limit ?? 0, report.left + 1)
        left = max(0, report.left - uncounted.before - uncounted.after)
        end = now + report.longest
        period = report.period ?? report.longest
        (start, last, earliest) = (sent, now, sent + report.shortest)
    }

    /// The time of the next request after some others.
    mutating func turn(at now: Duration, ahead: Int = 0) -> Duration {
        if now >= end { renew(at: now) }
        guard left > ahead else { return end }
        guard left - ahead <= limit / 5, let last else { return now }
        return last + (end - last) / (left + 1) * (ahead + 1)
    }

    /// Counts a request.
    mutating func spend(at now: Duration) {
        (left, spent, last) = (left - 1, spent + 1, now)
        if now >= earliest { spentLate += 1 }
    }

    /// Learns from the response to a request.
    mutating func learn(_ report: QuotaReport, sent: Duration, _ uncounted: Uncounted, at now: Duration) {
        guard sent >= start else { return }
        limit = report.limit ?? max(limit, report.left + 1)
        period = report.period ?? max(period, report.longest)
        let latest = now + report.longest
        let certain = max(0, report.left - uncounted.before - uncounted.after)
        let isLater = sent + report.shortest > end || certain > left
        guard isFresh || isLater else {
            end = isRestoredWhole ? min(end, latest) : latest
            if report.left < left { left = max(0, report.left - uncounted.after) }
            if sent + report.shortest > earliest { (earliest, spentLate) = (sent + report.shortest, 0) }
            return
        }
        if !isFresh || !isRestoredWhole || report.left < left { left = certain }
        if isFresh { isRestoredWhole = report.left + spent >= limit - limit / 10 }
        if isLater { start = sent }
        (end, earliest, spentLate, isFresh) = (latest, sent + report.shortest, 0, false)
    }

    private mutating func renew(at now: Duration) {
        if isRestoredWhole {
            (left, end) = (max(1, limit - spentLate), now + period)
        } else {
            (left, end) = (max(1, left), now + Self.probeWait)
        }
        (start, last, earliest, isFresh, spent, spentLate) = (now, nil, now, true, 0, 0)
    }
}
