import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// One row of the events of a call.
struct PageRow {
    typealias Part = (kind: String, start: Duration, end: Duration)

    let kind: String
    let name: String
    let outcome: String
    let start: Duration
    var time = Duration.zero
    var parts: [Part] = []
    /// What the server says of its work without a time.
    var served: String?

    static func rows(of timeline: CallTimeline) -> [PageRow] {
        var rows =
            timeline.attempts.filter { _ in timeline.attempts.count > 1 }.map { attempt($0) }
            + timeline.waits.map { wait($0) } + timeline.exchanges.flatMap { [exchange($0)] + served($0) }
        rows += timeline.cache.map { cache($0.outcome, at: $0.time) }
        rows += timeline.hedges.map { time, delay in
            let outcome = "no response after \(delay.shortMilliseconds) ms"
            return PageRow(kind: "decision", name: "hedge", outcome: outcome, start: time)
        }
        rows += timeline.record.events.compactMap { line($0) }
        return rows.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }

    private static func attempt(_ attempt: CallTimeline.Attempt) -> PageRow {
        var outcome = attempt.result?.code.map { "\($0)" } ?? attempt.result?.status.map { "\($0)" } ?? ""
        if attempt.result?.isCancelled == true { outcome = "cancelled" }
        if let decision = attempt.decision {
            outcome += decision.isRetry ? ", again in \(decision.delay.shortMilliseconds) ms" : ", final"
            if let reason = decision.reason { outcome += ": \(reason)" }
        }
        return PageRow("span", "attempt \(attempt.number)", outcome, from: attempt.start, to: attempt.end)
    }

    private static func wait(_ wait: CallTimeline.Wait) -> PageRow {
        var facts: [String] = []
        if let ending = wait.ending, ending != .done { facts.append("\(ending)") }
        if let ahead = wait.wait.ahead, ahead > 0 { facts.append("\(ahead) ahead") }
        if let asked = wait.wait.askedByServer { facts.append("server asked for \(asked.shortMilliseconds) ms") }
        if wait.wait.isLeading { facts.append("for all that wait") }
        let outcome = facts.joined(separator: ", ")
        return PageRow("hold", "wait: \(wait.wait.kind)", outcome, from: wait.start, to: wait.end)
    }

    private static func exchange(_ exchange: CallTimeline.Exchange) -> PageRow {
        let name = "#\(exchange.number) \(exchange.request.cause)"
        var row = PageRow("open", name, exchange.outcome, from: exchange.start, to: exchange.end)
        row.parts += exchange.phases.map { ($0.kind.rawValue, $0.start, $0.end) }
        row.served = said(exchange)
        return row
    }

    /// What the server says of its work without a time, such as `cache hit`.
    private static func said(_ exchange: CallTimeline.Exchange) -> String? {
        let said = exchange.serverTimings.filter { $0.duration == nil }.map { timing in
            timing.description.map { "\(timing.name) \($0)" } ?? timing.name
        }
        return said.isEmpty ? nil : said.joined(separator: ", ")
    }

    /// What the server says of its work with a time.
    private static func served(_ exchange: CallTimeline.Exchange) -> [PageRow] {
        exchange.serverTimings.compactMap { timing in
            guard let duration = timing.duration, let (start, end) = exchange.span(of: timing) else { return nil }
            var row = PageRow("span", "server \(timing.name)", timing.description ?? "", from: start, to: end)
            row.time = duration
            return row
        }
    }

    /// A message of a custom node, or a decision about one of several servers.
    private static func line(_ event: CallEvent) -> PageRow? {
        if case .endpointDecided(let decision) = event.kind {
            return PageRow(kind: "line", name: "endpoint", outcome: "\(decision)", start: event.time)
        }
        guard case .line(let level, let node, let message) = event.kind else { return nil }
        return PageRow(kind: "line", name: "\(node)", outcome: "\(level): \(message)", start: event.time)
    }

    private static func cache(_ outcome: CallEvent.CacheOutcome, at time: Duration) -> PageRow {
        var facts = ["\(outcome.kind)"]
        if let tier = outcome.tier { facts.append("in \(tier)") }
        if let reason = outcome.reason { facts.append(reason) }
        if let age = outcome.age { facts.append("\(age.wholeSeconds) s old") }
        return PageRow("cache", "cache", facts.joined(separator: ", "), from: time, to: time)
    }
}

extension PageRow {
    /// A row with one part, of its own kind.
    private init(_ kind: String, _ name: String, _ outcome: String, from start: Duration, to end: Duration) {
        self.init(kind: kind, name: name, outcome: outcome, start: start, time: max(end - start, .zero))
        parts = [(kind, start, end)]
    }
}
