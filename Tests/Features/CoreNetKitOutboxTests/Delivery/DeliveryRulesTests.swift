import TestSupport

@testable import CoreNetKitOutbox

private typealias Facts = DeliveryRules.Facts
private typealias Verdict = DeliveryRules.Verdict

private func response(_ status: Int, after: Duration? = nil, type: String? = nil) -> DeliveryOutcome {
    .response(status: status, retryAfter: after, contentType: type)
}

private let keyed = DeliveryRules.Facts(repetition: .keyIsHonoured())
private let plain = DeliveryRules.Facts(repetition: .byMethod)
private let put = DeliveryRules.Facts(repetition: .byMethod, isIdempotentMethod: true)
private let harmless = DeliveryRules.Facts(repetition: .harmless)
private let once = DeliveryRules.Facts(repetition: .atMostOnce, isIdempotentMethod: true)
private let oldKey = DeliveryRules.Facts(repetition: .keyIsHonoured(), keyIsAlive: false)
private let json = DeliveryRules.Facts(repetition: .keyIsHonoured(), expects: "application/json")

private let table: [(DeliveryOutcome, DeliveryRules.Facts, DeliveryRules.Verdict)] = [
    (response(200), plain, .delivered(200)), (response(204), once, .delivered(204)),
    // no connection
    (.noConnection("refused"), once, .whenConnected("refused")),
    (response(200, type: "text/html; charset=utf-8"), json, .whenConnected("another page came back")),
    (response(200, type: "application/json"), json, .delivered(200)),
    (response(200, type: "text/html"), plain, .delivered(200)),
    (response(511), plain, .whenConnected("status 511")), (response(407), plain, .whenConnected("status 407")),
    // later, and the server says that it has not done it
    (response(408), plain, .later(.milliseconds(500), isKnownHarmless: true)),
    (response(425), keyed, .later(.milliseconds(500), isKnownHarmless: true)),
    (response(429, after: .seconds(30)), plain, .later(.seconds(30), isKnownHarmless: true)),
    // A server cannot ask for more than a day.
    (response(503, after: .seconds(1_000_000_000)), keyed, .later(.seconds(24 * 3600), isKnownHarmless: true)),
    (response(503), put, .later(.milliseconds(500), isKnownHarmless: true)),
    (response(503), once, .dead("status 503")),
    // later, perhaps done
    (response(500), keyed, .later(.milliseconds(500), isKnownHarmless: false)),
    (response(502), put, .later(.milliseconds(500), isKnownHarmless: false)),
    (response(504), harmless, .later(.milliseconds(500), isKnownHarmless: false)),
    (response(500), plain, .inDoubt("status 500")), (response(504), once, .inDoubt("status 504")),
    (response(502), oldKey, .inDoubt("status 502")),
    // the first attempt still runs
    (response(409), keyed, .later(.milliseconds(500), isKnownHarmless: false)),
    (response(409), plain, .dead("status 409")), (response(409), oldKey, .dead("status 409")),
    // authorization
    (response(401), plain, .paused("status 401")), (response(403), plain, .dead("status 403")),
    (.unauthorized("no token"), once, .paused("no token")),
    // for good
    (response(400), keyed, .dead("status 400")), (response(404), keyed, .dead("status 404")),
    (response(422), keyed, .dead("status 422")), (response(304), keyed, .dead("status 304")),
    (response(501), keyed, .dead("status 501")), (.invalid("no host"), keyed, .dead("no host")),
    // outcome unknown
    (.unknown("cut"), keyed, .later(.milliseconds(500), isKnownHarmless: false)),
    (.unknown("cut"), put, .later(.milliseconds(500), isKnownHarmless: false)),
    (.unknown("cut"), harmless, .later(.milliseconds(500), isKnownHarmless: false)),
    (.unknown("cut"), plain, .inDoubt("cut")), (.unknown("cut"), oldKey, .inDoubt("cut")),
    (.unknown("cut"), once, .inDoubt("cut")), (.unreadable("too large"), keyed, .inDoubt("too large")),
    // a limit of this side
    (.heldBack(retryAfter: .seconds(3)), once, .heldBack(.seconds(3))),
    (.heldBack(retryAfter: nil), once, .heldBack(.seconds(1))),
]

@Suite("The response table", .paced)
struct DeliveryRulesTests {
    @Test("each row", arguments: table.indices)
    func row(index: Int) {
        let (outcome, facts, expected) = table[index]
        #expect(DeliveryRules().verdict(on: outcome, facts, random: 0.5) == expected)
    }

    @Test("403 pauses if requested")
    func forbidden() {
        var rules = DeliveryRules()
        rules.options.pausesOnForbidden = true
        #expect(rules.verdict(on: response(403), plain, random: 0) == .paused("status 403"))
    }

    @Test(
        "waits are random below a ceiling that doubles up to its cap",
        arguments: [(1, 1), (2, 2), (3, 4), (10, 512), (11, 900), (1000, 900)]
    )
    func backoff(attempts: Int, seconds: Int) {
        var facts = keyed
        facts.attempts = attempts
        let wait = { (random: Double) in DeliveryRules().verdict(on: response(500), facts, random: random) }
        #expect(wait(1) == .later(.seconds(seconds), isKnownHarmless: false))
        #expect(wait(0) == .later(.zero, isKnownHarmless: false))
    }

    @Test("failures before the first byte do not count as attempts, all others are unknown")
    func failures() {
        func outcome(_ code: TransportError.Code, _ phase: TransportError.Phase) -> DeliveryOutcome {
            DeliveryOutcome(TransportError(code, phase: phase, message: ""))
        }
        #expect(outcome(.cannotConnect, .connect) == .noConnection("cannotConnect in connect"))
        #expect(outcome(.certificateUntrusted, .tls) == .noConnection("certificateUntrusted in tls"))
        #expect(outcome(.connectionLost, .wait) == .unknown("connectionLost in wait"))
        #expect(outcome(.timedOut, .receive) == .unknown("timedOut in receive"))
        #expect(outcome(.responseTooLarge, .receive) == .unreadable("responseTooLarge in receive"))
        #expect(outcome(.invalidRequest, .queue) == .invalid("invalidRequest in queue"))
    }
}

@Suite("Which entries may go, and where", .paced)
struct DeliveryGateTests {
    private func entry(_ url: String = "https://a.test/x", of owner: String? = nil) -> IndexedEntry {
        var head = EntryHead.test(url: url)
        head.owner = owner
        return .test(head)
    }

    @Test("unowned entries may always go, an owner's while the owner is there and not signing out")
    func owners() {
        var gate = DeliveryGate(owner: "alice", seed: 1)
        #expect(gate.isPresent(nil) && gate.isPresent("alice") && !gate.isPresent("bob"))
        gate.park("alice")
        #expect(!gate.isPresent("alice") && gate.isParked("alice") && gate.isPresent(nil))
        gate.unpark("alice")
        #expect(gate.isPresent("alice"))
        gate.name("bob")
        #expect(gate.isPresent("bob") && !gate.isPresent("alice") && gate.namedOwner == "bob")
    }

    @Test("a pause belongs to an owner at an origin, and ends with the owner's return or explicitly")
    func pauses() {
        var gate = DeliveryGate(owner: "alice", seed: 1)
        let (here, there, bobs) = (entry(of: "alice"), entry("https://b.test/", of: "alice"), entry(of: "bob"))
        gate.pause(here, "401", refusedWith: nil)
        #expect(gate.pause(of: here) == "401")
        #expect(gate.pause(of: there) == nil && gate.pause(of: bobs) == nil)
        gate.unpark("bob")
        #expect(gate.pause(of: here) == "401")
        gate.name("alice")
        #expect(gate.pause(of: here) == nil)
        gate.pause(here, "401", refusedWith: nil)
        gate.forgetHosts()
        #expect(gate.pause(of: here) == "401")
        gate.forgetAll()
        #expect(gate.pause(of: here) == nil)
    }

    @Test("the wait for an unreachable origin grows, up to a minute, until it is reached")
    func origins() {
        var gate = DeliveryGate(seed: 1)
        let (here, there) = (entry(), entry("https://b.test/"))
        var last = Duration.zero
        for round in 0..<12 {
            gate.missed(here, at: .zero, Outbox.Options())
            let wait = gate.notBefore(here)
            let ceiling = min(Duration.seconds(1 << min(round, 10)), .seconds(60))
            #expect(wait >= ceiling / 2 && wait <= ceiling, "\(round): \(wait)")
            last = wait
        }
        #expect(last >= .seconds(30) && gate.notBefore(there) == .zero)
        let reached = [gate.reached(there), gate.reached(here), gate.reached(here)]
        #expect(reached == [false, true, false])
        #expect(gate.notBefore(here) == .zero)
    }

    @Test("the same seed, entry and attempt give the same random number")
    func random() {
        let entry = entry()
        let numbers = (0..<100).map { DeliveryGate(seed: $0).random(entry) }
        #expect(numbers == (0..<100).map { DeliveryGate(seed: $0).random(entry) })
        #expect(numbers.allSatisfy { 0..<1 ~= $0 } && Set(numbers).count > 90)
    }
}

@Suite("What a rewritten log says about a waiting entry", .paced)
struct EntryMarkTests {
    private let entry = IndexedEntry.test(.test(made: WallMoment(wall: 1_800_000_000_000)))

    @Test("nothing about an untouched one")
    func untouched() { #expect(entry.marks.isEmpty) }

    @Test("that it waits, that it was tried, how often an attempt failed: each is kept by itself", arguments: 0..<3)
    func touched(_ kind: Int) {
        var entry = entry
        switch kind {
        case 0: entry.history.wait = (next: 5, at: 3)
        case 1: entry.history.wasTried = true
        default: entry.history.attempts = 1
        }
        #expect(entry.marks.map(\.kind) == [.failed])
    }
}
