/// Checks that a record is complete: every start has exactly one end, in a possible order.
///
/// ```text
/// call     = callStarted { wait | line | requestBuilt } [cacheOutcome] [joined] attempt*
///            [decoded | decodeFailed] callEnded { late end of an exchange | late exchange }
/// wait     = waitStarted waitEnded
/// attempt  = attemptStarted { wait | exchange | hedgeStarted } attemptEnded [retryDecided { wait }]
/// exchange = exchangeStarted [phases] [responseHead { bodyProgress | socketMessage }] exchangeEnded [redirectDecided]
/// ```
/// Chains without a retry have no attempts; their exchanges belong to the call itself. The exchanges of a hedged attempt
/// interleave, and so do their waits. A late exchange belongs to a call that was cancelled or failed while other calls
/// still shared its work.
package struct CallGrammar {
    /// The problems of a record's events, one line each; empty for a complete one.
    package static func problems(in events: [CallEvent]) -> [String] {
        var grammar = CallGrammar()
        for (index, event) in events.enumerated() { grammar.take(event, at: index) }
        grammar.finish(events.count)
        return grammar.problems
    }

    private enum ExchangeState {
        case sent, head, ended
    }

    private var problems: [String] = []
    private var exchanges: [Int: ExchangeState] = [:]
    /// The waits that have begun and not ended.
    private var waits: [(kind: CallEvent.Wait.Kind, attempt: Int, branch: Int)] = []
    private var lastTime = Int64.min
    private var attempt = 0
    private var isAttemptOpen = false
    private var decidedAttempt = 0
    private var isDecoded = false
    private var lateEnds: Int?
    private var isCompleted = false

    private mutating func take(_ event: CallEvent, at index: Int) {
        if event.nanoseconds < lastTime { report(index, "goes back in time") }
        lastTime = event.nanoseconds
        if case .callStarted = event.kind {
            if index > 0 { report(index, "a second start of the call") }
            return
        }
        if index == 0 { report(index, "does not begin with the start of the call") }
        if lateEnds != nil { return takeLate(event, index) }
        takeCall(event, index)
        takeAttempt(event, index)
        takeExchange(event, index)
    }

    private mutating func finish(_ count: Int) {
        guard let lateEnds else { return report(count, "the call has no end") }
        if lateEnds != 0 { report(count, "\(lateEnds) exchanges were open at the end of the call and never ended") }
    }

    private mutating func takeLate(_ event: CallEvent, _ index: Int) {
        switch event.kind {
        case .exchangeEnded: lateEnds = (lateEnds ?? 0) - 1
        case .exchangeStarted where !isCompleted: lateEnds = (lateEnds ?? 0) + 1
        case .phases, .responseHead, .bodyProgress, .socketMessage: break
        default: return report(index, "stands behind the end of the call")
        }
        takeExchange(event, index)
    }

    private mutating func takeCall(_ event: CallEvent, _ index: Int) {
        switch event.kind {
        case .waitStarted(let wait): waits.append((wait.kind, event.attempt, event.branch))
        case .waitEnded(let kind, _):
            if let open = waits.firstIndex(where: { $0 == (kind, event.attempt, event.branch) }) {
                waits.remove(at: open)
            } else {
                report(index, "ends a wait for \(kind) that did not begin")
            }
        case .decoded, .decodeFailed:
            if isDecoded { report(index, "decodes a second time") }
            if isAttemptOpen { report(index, "decodes before the attempt has ended") }
            isDecoded = true
        case .callEnded(let outcome, let open):
            if case .completed = outcome { isCompleted = true }
            if !waits.isEmpty { report(index, "ends the call while it waits") }
            if isAttemptOpen { report(index, "ends the call inside of an attempt") }
            let still = exchanges.values.count { $0 != .ended }
            if still != open { report(index, "says \(open) open exchanges, there are \(still)") }
            lateEnds = still
        default: break
        }
    }

    private mutating func takeAttempt(_ event: CallEvent, _ index: Int) {
        switch event.kind {
        case .attemptStarted:
            if isAttemptOpen { report(index, "an attempt inside of an attempt") }
            if event.attempt != attempt + 1 { report(index, "attempt \(event.attempt) follows \(attempt)") }
            attempt = event.attempt
            isAttemptOpen = true
        case .attemptEnded:
            if !isAttemptOpen || event.attempt != attempt { report(index, "ends an attempt that is not open") }
            isAttemptOpen = false
        case .retryDecided:
            if isAttemptOpen || attempt == 0 { report(index, "decides before the attempt has ended") }
            if decidedAttempt == attempt { report(index, "decides twice about attempt \(attempt)") }
            decidedAttempt = attempt
        case .exchangeStarted, .hedgeStarted:
            if attempt > 0, !isAttemptOpen { report(index, "sends outside of an attempt") }
        default: break
        }
    }

    private mutating func takeExchange(_ event: CallEvent, _ index: Int) {
        let number = event.exchange
        let state = exchanges[number]
        switch event.kind {
        case .exchangeStarted:
            if state != nil || number != exchanges.count + 1 { report(index, "exchange \(number) begins out of turn") }
            exchanges[number] = .sent
        case .phases:
            if state == nil || state == .ended { report(index, "phases of exchange \(number), which is not open") }
        case .responseHead:
            if state != .sent { report(index, "a head of exchange \(number), which does not wait for one") }
            exchanges[number] = .head
        case .bodyProgress, .socketMessage:
            if state != .head { report(index, "progress of exchange \(number), which has no head") }
        case .exchangeEnded:
            if state == nil || state == .ended { report(index, "ends exchange \(number), which is not open") }
            exchanges[number] = .ended
        case .redirectDecided:
            if state == nil || state == .sent { report(index, "follows exchange \(number), which has no head") }
        default: break
        }
    }

    private mutating func report(_ index: Int, _ problem: String) {
        problems.append("event \(index + 1): \(problem)")
    }
}

extension CallRecord {
    /// The problems of the events, one line each: starts and ends that do not match; empty for a complete record.
    public var problems: [String] { CallGrammar.problems(in: events) }
}
