import CoreNetKit
import Foundation

/// One world of callers, a refresh and a server around `TokenState`, as a value that can be walked through.
struct TokenModel: Hashable {
    enum Phase: Hashable {
        case idle
        case waiting(isSecond: Bool, refused: TokenGrant?)
        /// Cancelled, and on its way to say so.
        case leaving
        case sent(TokenGrant, isSecond: Bool)
        case done(String)
    }

    /// What may happen next.
    enum Step: Hashable {
        case ask(Int), answer(Int), cancel(Int), leave(Int), renew, fail, revoke, login, logout
    }

    static let now = Date(timeIntervalSince1970: 0)

    var rules: TokenState<Int>
    var phases: [Phase]
    /// The token that the server takes.
    var valid: String?
    var isRunning = false
    var isCancelled = false
    var isDiscarded = false
    var renewals = 0, failures = 0, cancels = 0, revocations = 0, sets = 0, starts = 0, endings = 0
    /// How many refreshes had ended when each caller got its token.
    var granted: [Int]
    var problems: [String] = []
    let limits: Limits

    struct Limits: Hashable {
        var failures = 1, cancels = 1, revocations = 1, sets = 0
    }

    init(callers: Int, token: String?, isValid: Bool, limits: Limits) {
        rules = TokenState(token: token.map { AccessToken($0) }, margin: 0)
        phases = Array(repeating: .idle, count: callers)
        granted = Array(repeating: 0, count: callers)
        valid = isValid ? token : nil
        self.limits = limits
    }

    var steps: [Step] {
        var steps: [Step] = []
        for (index, phase) in phases.enumerated() {
            switch phase {
            case .idle: steps.append(.ask(index))
            case .sent: steps.append(.answer(index))
            case .leaving: steps.append(.leave(index))
            case .waiting: if cancels < limits.cancels { steps.append(.cancel(index)) }
            case .done: break
            }
        }
        if isRunning {
            steps.append(.renew)
            // A refresh that is cancelled may fail at any time.
            if isCancelled || failures < limits.failures { steps.append(.fail) }
        }
        if valid != nil, revocations < limits.revocations { steps.append(.revoke) }
        let isOver = phases.allSatisfy { if case .done = $0 { true } else { false } }
        if sets < limits.sets, !isOver { steps += [.login, .logout] }
        return steps
    }

    mutating func take(_ step: Step) {
        switch step {
        case .ask(let index): ask(index, after: nil, isSecond: false)
        case .cancel(let index):
            cancels += 1
            phases[index] = .leaving
        case .leave(let index):
            phases[index] = .done("cancelled")
            if rules.leave(index) { isCancelled = true }
        case .answer(let index):
            guard case .sent(let grant, let isSecond) = phases[index] else { return }
            if grant.token.value == valid {
                phases[index] = .done("answered")
            } else if isSecond {
                phases[index] = .done("refused twice")
            } else {
                ask(index, after: grant, isSecond: true)
            }
        case .renew:
            renewals += 1
            valid = "t\(renewals)"
            end(AccessToken("t\(renewals)"))
        case .fail:
            if !isCancelled { failures += 1 }
            end(nil)
        case .revoke:
            revocations += 1
            valid = nil
        case .login:
            valid = "login"
            set(AccessToken("login"))
        case .logout:
            valid = nil
            set(nil)
        }
        check()
    }

    private mutating func ask(_ index: Int, after refused: TokenGrant?, isSecond: Bool) {
        switch rules.request(after: refused, now: Self.now, index) {
        case .granted(let grant):
            granted[index] = endings
            phases[index] = .sent(grant, isSecond: isSecond)
        case .refused: phases[index] = .done("failed")
        case .waits(let starts):
            phases[index] = .waiting(isSecond: isSecond, refused: refused)
            guard starts else { break }
            if refused != nil, granted[index] < endings {
                problems.append("a late refusal of an old token refreshed again")
            }
            begin()
        }
    }

    private mutating func begin() {
        if isRunning { problems.append("two refreshes at once") }
        isRunning = true
        isCancelled = false
        isDiscarded = false
        starts += 1
    }

    private mutating func end(_ token: AccessToken?) {
        isRunning = false
        switch rules.finish(token, now: Self.now) {
        case .restarts: begin()
        case .answers(let callers, let grant):
            // One that was discarded, or cancelled and failed, has told nobody anything.
            if !isDiscarded, token != nil || !isCancelled { endings += 1 }
            answer(callers, grant)
        }
    }

    private mutating func set(_ token: AccessToken?) {
        sets += 1
        if isRunning {
            isCancelled = true
            isDiscarded = true
        }
        let (callers, grant) = rules.set(token)
        answer(callers, grant)
    }

    private mutating func answer(_ callers: [Int], _ grant: TokenGrant?) {
        for index in callers {
            switch phases[index] {
            case .waiting(let isSecond, _):
                granted[index] = endings
                phases[index] = grant.map { .sent($0, isSecond: isSecond) } ?? .done("failed")
            case .leaving: break
            default: problems.append("an answer for a caller that does not wait")
            }
        }
    }

    private mutating func check() {
        let waiting = phases.indices.filter { if case .waiting = phases[$0] { true } else { false } }
        if !Set(waiting).isSubset(of: Set(rules.waiting)) { problems.append("a caller was forgotten") }
        if !waiting.isEmpty, !isRunning { problems.append("a caller waits for nothing") }
        if isRunning != rules.isRefreshing { problems.append("the rules think otherwise about a refresh") }
        if !waiting.isEmpty, isCancelled, phases.indices.allSatisfy({ waiting.contains($0) }), cancels + sets == 0 {
            problems.append("a refresh was cancelled that somebody wants")
        }
        // Each token that the server gave out or took back explains one refresh, and so does each failure.
        let causes = 1 + revocations + failures + cancels + sets * 2
        if starts > causes { problems.append("\(starts) refreshes, \(causes) causes") }
        if steps.isEmpty, !phases.allSatisfy({ if case .done = $0 { true } else { false } }) {
            problems.append("stuck")
        }
        if failures + sets == 0, phases.contains(.done("failed")) {
            problems.append("a call failed for the cancellation of another")
        }
        if failures + cancels + revocations + sets == 0, phases.contains(.done("refused twice")) {
            problems.append("a call was refused twice without a reason")
        }
    }
}
