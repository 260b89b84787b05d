import TestSupport

@testable import CoreNetKitRecovery

@Suite("One refresh for all, in every order of events", .timeLimit(.minutes(10)), .paced)
struct TokenOrderTests {
    /// Walks through every world that can be reached, each once.
    private func explore(_ start: TokenModel) -> (worlds: Int, endings: Set<String>, problems: Set<String>) {
        var seen: Set<TokenModel> = [start]
        var open = [start]
        var endings: Set<String> = []
        var problems: Set<String> = []
        while let world = open.popLast() {
            let steps = world.steps
            if steps.isEmpty { endings.formUnion(world.phases.map { "\($0)" }) }
            for step in steps {
                var next = world
                next.take(step)
                problems.formUnion(next.problems.map { "\($0) after \(step)" })
                if next.problems.isEmpty, seen.insert(next).inserted { open.append(next) }
            }
        }
        return (seen.count, endings, problems)
    }

    @Test(
        "no order of requests, responses, cancellations, refreshes and failures loses a caller or refreshes twice",
        arguments: 1...4,
        [(nil, false), ("t0", true), ("t0", false)] as [(String?, Bool)]
    )
    func allOrders(callers: Int, token: (value: String?, isValid: Bool)) {
        let limits = TokenModel.Limits(
            losses: callers < 4 ? 1 : 0,
            cancels: callers < 4 ? 2 : 1,
            revocations: callers < 4 ? 1 : 0
        )
        let start = TokenModel(callers: callers, token: token.value, isValid: token.isValid, limits: limits)
        let (worlds, endings, problems) = explore(start)
        #expect(problems == [])
        #expect(worlds > 3)
        if !token.isValid {
            #expect(endings.isSuperset(of: ["done(\"responded\")", "done(\"failed\")", "done(\"cancelled\")"]))
        }
    }

    @Test(
        "logins, logouts, saving, cool-down and non-resendable bodies keep their promises in every order",
        arguments: 1...2,
        [true, false]
    )
    func life(callers: Int, isValid: Bool) {
        let limits = TokenModel.Limits(
            losses: callers < 2 ? 1 : 0,
            revocations: callers < 2 ? 1 : 0,
            sets: callers < 2 ? 2 : 1,
            saveFailures: 1,
            invalidations: callers < 2 ? 1 : 0
        )
        let start = TokenModel(
            callers: callers,
            token: "t0",
            isValid: isValid,
            limits: limits,
            hasOneShot: true,
            saves: true
        )
        let (_, endings, problems) = explore(start)
        #expect(problems == [])
        #expect(endings.isSuperset(of: ["done(\"responded\")", "done(\"signed out\")", "done(\"refused once\")"]))
    }

    @Test("a late refusal of an old token is granted the new one")
    func lateRefusal() {
        var rules = TokenState<Int>(token: AccessToken("t0"), margin: 0)
        let now = Date(timeIntervalSince1970: 0)
        let old = TokenGrant(token: AccessToken("t0"), epoch: 0)
        let new = TokenGrant(token: AccessToken("t1"), epoch: 1)
        #expect(rules.request(after: nil, now: now, isPauseOver: true, 1) == .granted(old))
        #expect(rules.request(after: old, now: now, isPauseOver: true, 1) == .waits(1, starts: true))
        #expect(rules.finish(HeldCredential(AccessToken("t1")), now: now) == .replies([1], new))
        #expect(rules.request(after: old, now: now, isPauseOver: true, 2) == .granted(new))
        #expect(rules.request(after: new, now: now, isPauseOver: true, 2) == .waits(2, starts: true))
        #expect(rules.finish(nil, now: now) == .replies([2], nil))
        #expect(rules.request(after: new, now: now, isPauseOver: true, 3) == .refused)
    }

    @Test("a call that comes while an earlier login's refresh is ending waits for one of the new login")
    func restarts() {
        var rules = TokenState<Int>(token: nil, margin: 30)
        let now = Date(timeIntervalSince1970: 1_000_000_000)
        #expect(rules.request(after: nil, now: now, isPauseOver: true, 1) == .waits(1, starts: true))
        #expect(rules.set(HeldCredential(AccessToken("old", expires: now))).0 == [1])
        #expect(rules.request(after: nil, now: now, isPauseOver: true, 2) == .waits(2, starts: false))
        #expect(rules.finish(nil, now: now) == .restarts)
        #expect(rules.isRefreshing && rules.waiting == [2])
        guard case .replies([2], let grant) = rules.finish(HeldCredential(AccessToken("new")), now: now) else {
            return #expect(Bool(false), "who waits gets a result")
        }
        #expect(grant?.token == AccessToken("new"))
    }

    @Test("leaving a refresh costs each caller the same, however many wait", arguments: [0, 1, 7919])
    func leaving(stride: Int) {
        let growth = Counted.growth { callers in
            var rules = TokenState<Counted>(token: nil, margin: 30)
            for caller in callers { _ = rules.request(after: nil, now: .distantPast, isPauseOver: true, caller) }
            #expect(rules.waiting.count == callers.count)
            let order = callers.indices.map { stride == 0 ? callers.count - 1 - $0 : $0 * stride % callers.count }
            for index in order { rules.leave(callers[index]) }
            #expect(rules.waiting.isEmpty && rules.isRefreshing)
        }
        #expect(growth > 12 && growth < 20)
    }
}
