import TestSupport

/// A world of callers, a refresh, a place to save and a server around `TokenState`, as a value to be explored.
struct TokenModel: Hashable {
    enum Phase: Hashable {
        case idle
        case waiting(isSecond: Bool)
        /// Cancelled, but not yet reported.
        case leaving
        case sent(TokenGrant, isSecond: Bool)
        case done(String)
    }

    /// What the running refresh is about.
    enum Work: Hashable {
        case asking
        case saving(AccessToken)
    }

    /// What may happen next.
    enum Step: Hashable {
        case ask(Int), reply(Int), cancel(Int), leave(Int)
        case renew, refuse, lose, save, failToSave
        case revoke, login, logout, invalidate, pause
    }

    /// How often something may happen.
    struct Limits: Hashable {
        var refusals = 1, losses = 1, cancels = 1, revocations = 1, sets = 0, saveFailures = 0, invalidations = 0
    }

    static let coolDown: TimeInterval = 10

    var rules: TokenState<Int>
    var phases: [Phase]
    let limits: Limits
    /// The last caller's request can be sent only once.
    let hasOneShot: Bool
    let saves: Bool
    /// The token that the server accepts.
    var valid: String?
    var work: Work?
    /// Whether a login or a logout has ended the running refresh.
    var isDiscarded = false
    var now = Date(timeIntervalSince1970: 0)
    var pauseEnd: Date?
    var isSignedOut = false
    /// Usable tokens, and those that a server refused.
    var kept: Set<String> = []
    var refused: Set<String> = []
    var renewals = 0, refusals = 0, losses = 0, cancels = 0, revocations = 0, sets = 0, saveFailures = 0
    var invalidations = 0, starts = 0
    var problems: [String] = []

    init(callers: Int, token: String?, isValid: Bool, limits: Limits, hasOneShot: Bool = false, saves: Bool = false) {
        rules = TokenState(token: token.map { AccessToken($0) }, margin: 0)
        phases = Array(repeating: .idle, count: callers)
        valid = isValid ? token : nil
        kept = token.map { [$0] } ?? []
        self.limits = limits
        self.hasOneShot = hasOneShot
        self.saves = saves
    }

    var steps: [Step] {
        var steps: [Step] = []
        for (index, phase) in phases.enumerated() {
            switch phase {
            case .idle: steps.append(.ask(index))
            case .sent: steps.append(.reply(index))
            case .leaving: steps.append(.leave(index))
            case .waiting: if cancels < limits.cancels { steps.append(.cancel(index)) }
            case .done: break
            }
        }
        switch work {
        case .asking:
            steps.append(.renew)
            // An ended refresh may fail at any time.
            if isDiscarded || refusals < limits.refusals { steps.append(.refuse) }
            if losses < limits.losses { steps.append(.lose) }
        case .saving:
            steps.append(.save)
            if saveFailures < limits.saveFailures { steps.append(.failToSave) }
        case nil: break
        }
        guard !isOver else { return steps }
        if valid != nil, revocations < limits.revocations { steps.append(.revoke) }
        if sets < limits.sets { steps += [.login, .logout] }
        if invalidations < limits.invalidations { steps.append(.invalidate) }
        if pauseEnd != nil, now.timeIntervalSince1970 == 0 { steps.append(.pause) }
        return steps
    }

    /// Without a pause nothing asks.
    private var isPauseOver: Bool { pauseEnd.map { now >= $0 } ?? false }

    private var isOver: Bool { phases.allSatisfy { if case .done = $0 { true } else { false } } }

    mutating func take(_ step: Step) {
        switch step {
        case .ask(let index): ask(index, after: nil)
        case .cancel(let index):
            cancels += 1
            phases[index] = .leaving
        case .leave(let index):
            phases[index] = .done("cancelled")
            rules.leave(index)
        case .reply(let index): reply(index)
        case .renew:
            renewals += 1
            if !isDiscarded { valid = "t\(renewals)" }
            receive(AccessToken("t\(renewals)"))
        case .refuse:
            if !isDiscarded { refusals += 1 }
            end(nil, pause: Self.coolDown)
        case .lose:
            losses += 1
            end(nil, pause: 0)
        case .save:
            guard case .saving(let token) = work else { return }
            kept.insert(token.value)
            end(token, pause: 0)
        case .failToSave:
            saveFailures += 1
            end(nil, pause: 0)
        case .revoke:
            revocations += 1
            valid = nil
        case .login: set(AccessToken("login\(sets)"))
        case .logout: set(nil)
        case .invalidate:
            invalidations += 1
            pauseEnd = nil
            rules.invalidate()
        case .pause: now = now.addingTimeInterval(Self.coolDown)
        }
        check()
    }
}

// MARK: - What the steps do

extension TokenModel {
    private mutating func ask(_ index: Int, after refusal: TokenGrant?) {
        let isPauseOver = isPauseOver
        switch rules.request(after: refusal, now: now, isPauseOver: isPauseOver, index) {
        case .granted(let grant):
            phases[index] = .sent(grant, isSecond: refusal != nil)
            checkUse(of: grant)
        case .refused: phases[index] = .done("failed")
        case .signedOut:
            phases[index] = .done("signed out")
            if !isSignedOut { problems.append("signed out of a login") }
        case .waits(_, let starts):
            phases[index] = .waiting(isSecond: refusal != nil)
            if starts { begin() }
        }
    }

    private mutating func reply(_ index: Int) {
        guard case .sent(let grant, let isSecond) = phases[index] else { return }
        guard grant.token.value != valid else { return phases[index] = .done("responded") }
        // A second refusal does not refresh: a server that refuses every token would cause endless refreshes.
        if isSecond { return phases[index] = .done("refused twice") }
        refused.insert(grant.token.value)
        if hasOneShot, index == phases.count - 1 {
            phases[index] = .done("refused once")
            let isPauseOver = isPauseOver
            if rules.reject(grant, isPauseOver: isPauseOver) { begin() }
        } else {
            ask(index, after: grant)
        }
    }

    private mutating func begin() {
        if work != nil { problems.append("two refreshes at once") }
        if isSignedOut { problems.append("a refresh after a logout") }
        if let pauseEnd, now < pauseEnd { problems.append("a refresh in the cool-down") }
        starts += 1
        isDiscarded = false
        if let unsaved = rules.unsaved {
            receive(unsaved.token)
        } else {
            work = .asking
        }
    }

    private mutating func receive(_ token: AccessToken) {
        guard saves else {
            kept.insert(token.value)
            return end(token, pause: 0)
        }
        if rules.receive(HeldCredential(token)) {
            work = .saving(token)
            if isDiscarded { problems.append("the token of another login is saved") }
        } else {
            if !isDiscarded { problems.append("a token is not saved") }
            end(token, pause: 0)
        }
    }

    private mutating func end(_ token: AccessToken?, pause: TimeInterval) {
        work = nil
        if !isDiscarded { pauseEnd = pause > 0 ? now.addingTimeInterval(pause) : nil }
        switch rules.finish(token.map { HeldCredential($0) }, now: now, pauses: pause > 0) {
        case .restarts: begin()
        case .replies(let callers, let grant): reply(callers, grant, "failed")
        }
    }

    private mutating func set(_ token: AccessToken?) {
        sets += 1
        valid = token?.value
        if let token { kept.insert(token.value) }
        isSignedOut = token == nil
        isDiscarded = work != nil
        pauseEnd = nil
        let (callers, grant) = rules.set(token.map { HeldCredential($0) })
        reply(callers, grant, "signed out")
    }

    private mutating func reply(_ callers: [Int], _ grant: TokenGrant?, _ failure: String) {
        for index in callers {
            switch phases[index] {
            case .waiting(let isSecond):
                phases[index] = grant.map { .sent($0, isSecond: isSecond) } ?? .done(failure)
                if let grant { checkUse(of: grant) }
            case .leaving: break
            default: problems.append("a result for a caller that does not wait")
            }
        }
    }
}

// MARK: - What must hold

extension TokenModel {
    private mutating func checkUse(of grant: TokenGrant) {
        if refused.contains(grant.token.value) { problems.append("a refused token is used again") }
        if !kept.contains(grant.token.value) { problems.append("a token is used before it is saved") }
        if isSignedOut { problems.append("a token is used after a logout") }
    }

    private mutating func check() {
        let waiting = phases.indices.filter { if case .waiting = phases[$0] { true } else { false } }
        if !Set(waiting).isSubset(of: Set(rules.waiting)) { problems.append("a caller was forgotten") }
        if !waiting.isEmpty, work == nil { problems.append("a caller waits for nothing") }
        if (work != nil) != rules.isRefreshing { problems.append("the rules think otherwise about a refresh") }
        if isSignedOut != rules.isSignedOut { problems.append("the rules think otherwise about the login") }
        // Each token that the server revoked explains one refresh, and so does each transient failure; a refused
        // refresh only once its cool-down is over.
        let causes =
            1 + revocations + losses + saveFailures + invalidations + sets * 2
            + (now > Date(timeIntervalSince1970: 0) ? refusals : 0)
        if starts > causes { problems.append("\(starts) refreshes, \(causes) causes") }
        if steps.isEmpty, !isOver { problems.append("stuck") }
        if refusals + losses + saveFailures + sets == 0, phases.contains(.done("failed")) {
            problems.append("a call failed for the cancellation of another")
        }
        if refusals + losses + revocations + sets + saveFailures == 0, phases.contains(.done("refused twice")) {
            problems.append("a call was refused twice without a reason")
        }
    }
}
