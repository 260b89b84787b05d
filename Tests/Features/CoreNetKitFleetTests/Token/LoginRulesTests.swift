import TestSupport

@testable import CoreNetKitFleet

@Suite("What a process does with a stored login", .timeLimit(.minutes(10)), .paced)
struct LoginRulesTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let known: UInt64
        let record: CredentialRecord?
        let stored: AccessToken?
        let current: AccessToken?
        let hasLease: Bool
        let verdict: LoginRules.Verdict

        init(
            _ description: String,
            known: UInt64,
            _ record: CredentialRecord?,
            stored: AccessToken? = nil,
            current: AccessToken? = mine,
            hasLease: Bool = true,
            _ verdict: LoginRules.Verdict
        ) {
            (testDescription, self.known, self.record, self.stored) = (description, known, record, stored)
            (self.current, self.hasLease, self.verdict) = (current, hasLease, verdict)
        }
    }

    private static let now = Date(timeIntervalSince1970: 1_000_000_000)
    private static let new = AccessToken("new")
    private static let mine = AccessToken("mine")
    private static let over = AccessToken("new", expires: now)

    static let rows = [
        Row("nothing, and never was", known: 0, nil, .spend(stored: false)),
        Row("nothing any more", known: 3, nil, .forgotten),
        Row("older", known: 3, .init(.current, 2), stored: new, .forgotten),
        Row("older intention", known: 3, .init(.intention, 2), .forgotten),
        Row("older logout", known: 3, .init(.ended, 2), .forgotten),
        Row("newer", known: 3, .init(.current, 4), stored: new, .take),
        Row("newer, over", known: 3, .init(.current, 4), stored: over, .spend(stored: true)),
        Row("newer, mine", known: 0, .init(.current, 4), stored: mine, .spend(stored: true)),
        Row("mine", known: 4, .init(.current, 4), stored: mine, .spend(stored: true)),
        Row("other of my number", known: 4, .init(.current, 4), stored: new, .take),
        Row("without one", known: 4, .init(.current, 4), .spend(stored: false)),
        Row("for who has none", known: 0, .init(.current, 4), stored: new, current: nil, .take),
        Row("logout", known: 3, .init(.ended, 4), .ended),
        Row("logout, known", known: 4, .init(.ended, 4), .ended),
        Row("logout, for a new process", known: 0, .init(.ended, 4), .ended),
        Row("intention of another", known: 4, .init(.intention, 4, lease: 7), .lost),
        Row("perhaps at work", known: 4, .init(.intention, 4, lease: 7), hasLease: false, .spend(stored: true)),
        Row("intention that was not sent", known: 4, .init(.intention, 4, lease: 9), .spend(stored: true)),
    ]

    @Test("is one decision for each case", arguments: rows)
    func verdict(_ row: Row) {
        var rules = LoginRules()
        if row.known > 0 { rules.learn(.init(.current, row.known)) }
        rules.noteUnsent(9)
        let (stored, current, now) = (row.stored, row.current, Self.now)
        let found = rules.verdict(on: row.record, stored: stored, current: current, now: now, hasLease: row.hasLease)
        #expect(found == row.verdict)
    }

    @Test("numbers grow beyond the known and the stored ones, up to their maximum")
    func numbers() {
        var rules = LoginRules()
        #expect(rules.next(over: 0) == 1)
        rules.learn(.init(.current, 7))
        #expect(rules.next(over: 3) == 8)
        #expect(rules.next(over: 9) == 10)
        rules.learn(.init(.current, 2))
        #expect(rules.known == 7)
        #expect(rules.next(over: .max) == .max)
        rules.forget()
        #expect(rules.known == 0)
    }

    @Test("what a store has lost is newer here: a number, or an end over an intention over a credential")
    func missing() {
        let intention = CredentialRecord(.intention, 4, lease: 7, credential: Data("r".utf8))
        let current = CredentialRecord(.current, 4, credential: Data("r".utf8))
        let ended = CredentialRecord(.ended, 4)
        for last in [intention, current, ended] {
            var rules = LoginRules()
            #expect(rules.missing(from: nil, number: nil) == nil, "who knows nothing has nothing to tell")
            rules.learn(last)
            #expect(rules.missing(from: nil, number: nil) == last)
            #expect(rules.missing(from: nil, number: 3) == last)
            #expect(rules.missing(from: nil, number: 4) == nil, "what this process cannot open")
            #expect(rules.missing(from: .init(.ended, 3), number: 3) == last)
            #expect(rules.missing(from: .init(.current, 5), number: 5) == nil)
            #expect(rules.missing(from: last, number: 4) == nil)
            #expect(rules.missing(from: ended, number: 4) == nil)
            #expect(rules.missing(from: intention, number: 4) == (last == ended ? ended : nil))
            #expect(rules.missing(from: current, number: 4) == (last == current ? nil : last))
        }
        var rules = LoginRules()
        rules.learn(intention)
        rules.noteUnsent(7)
        #expect(rules.missing(from: nil, number: nil) == current, "nothing was sent: it is a credential again")
    }

    @Test("the first intention of all has number 0, and is as little forgotten as any other", arguments: [nil, 0, 1])
    func first(stored: UInt64?) {
        var rules = LoginRules()
        let intention = CredentialRecord(.intention, 0, lease: 7)
        rules.learn(intention)
        #expect(rules.missing(from: nil, number: stored) == (stored == nil ? intention : nil))
        let record = stored.map { CredentialRecord(.current, $0) }
        #expect(rules.missing(from: record, number: stored) == (stored == 1 ? nil : intention))
        let (mine, now) = (Self.mine, Self.now)
        for hasLease in [false, true] {
            let verdict = rules.verdict(on: record, stored: mine, current: mine, now: now, hasLease: hasLease)
            #expect(verdict == (stored == 1 ? .spend(stored: true) : .forgotten), "its own outcome is unknown")
        }
    }

    @Test("an intention that was not sent becomes what it was, and is written over where it has not come yet")
    func unsent() {
        let content = Data("r".utf8)
        let current = CredentialRecord(.current, 4, credential: content)
        let intention = CredentialRecord(.intention, 4, lease: 7, credential: content)
        let pending = PendingRecord(change: .unsent(intention, over: 20), id: 1)
        func record(over found: CredentialRecord?, _ version: UInt64) -> CredentialRecord? {
            pending.record(over: found, version: version, number: found?.number ?? 0, LoginRules(), Self.now)
        }
        #expect(record(over: intention, 21) == current)
        #expect(record(over: current, 20) == current, "what comes late goes over another version then")
        #expect(record(over: current, 22) == nil)
        #expect(record(over: CredentialRecord(.intention, 4, lease: 8), 22) == nil, "another one's")
        #expect(record(over: CredentialRecord(.ended, 5), 22) == nil)
    }

    @Test("a login has a larger number than all before it, though neither the store nor this process knows of them")
    func sessionNumbers() throws {
        let earlier = PendingRecord(change: .session(Data()), id: 1)
        let later = PendingRecord(change: .session(nil), id: 2)
        let first = try #require(earlier.record(over: nil, version: 0, number: 0, LoginRules(), Self.now))
        var rules = LoginRules()
        rules.learn(CredentialRecord(.current, first.number + 50))
        let moment = Self.now.addingTimeInterval(1)
        let second = try #require(later.record(over: nil, version: 0, number: 0, LoginRules(), moment))
        #expect(second.number > rules.known)
        #expect(second.state == .ended)
        #expect(rules.missing(from: second, number: second.number) == nil)
    }
}
