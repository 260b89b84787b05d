import IDPushService
import KorePushService
import PushServersMock
import TestSupport

@Suite("Login, logout and switch across the services", .timeLimit(.minutes(10)), .paced)
struct PushIdentityTests {
    enum Event: String, Sendable { case loginAlice, loginBob, logout }

    /// The events before, the event, and what comes of it.
    typealias Row = (before: [Event], event: Event, requests: [String], subscribed: [String])

    static let rows: [Row] = [
        ([], .loginAlice, ["+alice"], ["alice"]), ([], .loginBob, ["+bob"], ["bob"]), ([], .logout, [], []),
        ([.loginAlice], .loginAlice, [], ["alice"]),
        ([.loginAlice], .logout, [#"{"of":""}"#, "-alice"], []),
        ([.loginAlice], .loginBob, [#"{"of":""}"#, "-alice", "+bob"], ["bob"]),
        ([.loginAlice, .loginBob], .loginAlice, [#"{"of":""}"#, "-bob", "+alice"], ["alice"]),
        ([.loginAlice, .loginBob], .logout, [#"{"of":""}"#, "-bob"], []),
        ([.loginAlice, .logout], .logout, [], []),
        ([.loginAlice, .logout], .loginAlice, ["+alice"], ["alice"]),
        ([.loginAlice, .logout], .loginBob, ["+bob"], ["bob"]),
    ]

    private static func apply(_ event: Event, to identity: PushIdentity) -> Observer<Void> {
        switch event {
        case .loginAlice: identity.login("alice")
        case .loginBob: identity.login("bob")
        case .logout: identity.logout()
        }
    }

    @Test(
        "each event is these requests, at once or, without a network, after the next launch",
        arguments: rows,
        [true, false]
    )
    func table(_ row: Row, isOnline: Bool) async throws {
        let phone = Phone()
        let first = try phone.launch(hasOutbox: false)
        _ = try await first.push.perform(.addDevice(token: Phone.token))
        for event in row.before {
            try await Self.apply(event, to: first.identity).value
            // What the app knows of the user.
            if event != .logout { _ = try await first.push.setTags(["of": .string(event.rawValue)]) }
        }
        let count = phone.requests.values.count
        phone.set(online: isOnline)
        _ = try? await Self.apply(row.event, to: phone.launch(hasOutbox: false).identity).value
        if !isOnline {
            #expect(phone.requests.values.count == count)
            phone.set(online: true)
            try await phone.launch(hasOutbox: false).identity.flush().value
        }
        #expect(Array(phone.requests.values.dropFirst(count)) == row.requests)
        #expect(phone.subscribed == row.subscribed)
        let last = try phone.launch(hasOutbox: false)
        let state = try last.identity.state()
        #expect(state.pendingSignOuts.isEmpty)
        #expect(state.user == row.subscribed.first)
        try await last.identity.flush().value
        #expect(Array(phone.requests.values.dropFirst(count)) == row.requests)
    }

    @Test("a user who left while offline is unregistered later, and nothing of theirs is sent for the next user")
    func switchOffline() async throws {
        let phone = Phone()
        let online = try phone.launch(hasOutbox: false)
        _ = try await online.push.perform(.addDevice(token: Phone.token))
        try await online.identity.login("alice").value
        phone.set(online: false)
        let offline = try phone.launch(hasOutbox: false)
        _ = try? await offline.push.setTags(["plan": "alice's"])
        _ = try? await offline.identity.logout().value
        _ = try? await offline.identity.login("bob").value
        let state = try offline.identity.state()
        #expect(state.user == "bob" && state.pendingSignOuts == ["alice"])
        phone.set(online: true)
        let back = try phone.launch(hasOutbox: false)
        try await back.identity.flush().value
        _ = try await back.push.setTags(["plan": "bob's"])
        #expect(phone.subscribed == ["bob"])
        #expect(phone.idpush.devices.first?.tags == ["plan": "bob's"])
        #expect(!phone.requests.values.contains { $0.contains("alice's") })
        try await phone.launch(hasOutbox: false).identity.flush().value
        #expect(phone.idpush.devices.first?.tags == ["plan": "bob's"])
    }

    @Test("a user without a session stays pending, does not block the next one, and goes when the session is back")
    func noSession() async throws {
        let phone = Phone()
        let app = try phone.launch(hasOutbox: false)
        try await app.identity.login("alice").value
        phone.sessions.withLock { $0 = ["bob"] }
        await #expect(throws: KorePushError.self) { try await app.identity.login("bob").value }
        #expect(phone.subscribed == ["alice", "bob"])
        #expect(try app.identity.state().pendingSignOuts == ["alice"])
        phone.sessions.withLock { $0 = ["alice", "bob"] }
        let next = try phone.launch(hasOutbox: false)
        try await next.identity.flush().value
        #expect(phone.subscribed == ["bob"])
        let state = try next.identity.state()
        #expect(state.user == "bob" && state.pendingSignOuts.isEmpty)
    }

    @Test("the identity is the partition of the user's calls")
    func partition() async throws {
        let phone = Phone()
        let identity = try phone.launch(hasOutbox: false).identity
        #expect(identity.partition.isAnonymous)
        try await identity.login("alice").value
        #expect(identity.partition == Partition("alice"))
        #expect(try phone.launch(hasOutbox: false).identity.partition == Partition("alice"))
        try await identity.logout().value
        #expect(identity.partition.isAnonymous)
    }
}
