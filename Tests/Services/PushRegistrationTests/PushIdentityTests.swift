import IDPushService
import KorePushService
import PushServersMock
import TestSupport

@Suite("Login, logout and switch across the services", .timeLimit(.minutes(10)), .paced)
struct PushIdentityTests {
    /// An app with both services, on a store that survives it.
    private struct App {
        static let token = KoreDeviceToken.hex("a1b2c3d4")

        let server: LoopbackServer
        let idpush = IDPushServer(projects: ["p1"])
        let kore = KorePushServer(users: ["alice": "t-alice", "bob": "t-bob"])
        let store = InMemoryStore()
        /// The users whose sessions the app still has.
        var sessions = ["alice": "t-alice", "bob": "t-bob"]
        var isOnline = true

        init() throws {
            server = try LoopbackServer()
            idpush.serve(on: server)
            kore.serve(on: server)
        }

        /// As after a launch.
        func launch() throws -> (push: IDPush, identity: PushIdentity) {
            let client = isOnline ? Client() : Client(transport: FailingTransport(.cannotConnect))
            let push = try IDPush(
                IDPushConfiguration(
                    projectID: "p1",
                    baseURL: server.url("/api/v1/"),
                    device: DeviceInfo(model: "m", systemVersion: "1", appVersion: "1")
                ),
                store: store,
                client: client.retry(RetryPolicy(limit: 0))
            )
            let member = KoreMember(token: { Self.token }) { [server, store, sessions] user in
                guard let session = sessions[user] else { return nil }
                return try KorePush(
                    session: KoreSession(userID: user, accessToken: session),
                    configuration: KoreConfiguration(server: server.url, retry: nil),
                    store: store,
                    client: client
                )
            }
            return (push, PushIdentity(store: store, members: [push, member]))
        }

        /// The requests since the last check, as `+alice`, `-alice` for Kore and `tags …` for IDPush.
        func requests(since count: Int = 0) -> [String] {
            server.requests.dropFirst(count).map { request in
                let parts = request.path.split(separator: "/")
                if parts.contains("users") { return (request.method == .delete ? "-" : "+") + parts[2] }
                return request.path.hasSuffix("add") ? "device" : request.form.first { $0.name == "tags" }?.value ?? "?"
            }
        }

        var subscribed: [String] { ["alice", "bob"].filter { !kore.devices(of: $0).isEmpty } }
    }

    enum Event: String, Sendable {
        case loginAlice, loginBob, logout
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let before: [Event]
        let event: Event
        let requests: [String]
        let subscribed: [String]
        var testDescription: String { "\(before.map(\.rawValue)), then \(event)" }
    }

    static let rows = [
        Row(before: [], event: .loginAlice, requests: ["+alice"], subscribed: ["alice"]),
        Row(before: [], event: .logout, requests: [], subscribed: []),
        Row(before: [.loginAlice], event: .loginAlice, requests: [], subscribed: ["alice"]),
        Row(before: [.loginAlice], event: .logout, requests: [#"{"of":""}"#, "-alice"], subscribed: []),
        Row(before: [.loginAlice], event: .loginBob, requests: [#"{"of":""}"#, "-alice", "+bob"], subscribed: ["bob"]),
        Row(
            before: [.loginAlice, .loginBob],
            event: .loginAlice,
            requests: [#"{"of":""}"#, "-bob", "+alice"],
            subscribed: ["alice"]
        ),
        Row(before: [.loginAlice, .loginBob], event: .logout, requests: [#"{"of":""}"#, "-bob"], subscribed: []),
        Row(before: [], event: .loginBob, requests: ["+bob"], subscribed: ["bob"]),
        Row(before: [.loginAlice, .logout], event: .logout, requests: [], subscribed: []),
        Row(before: [.loginAlice, .logout], event: .loginAlice, requests: ["+alice"], subscribed: ["alice"]),
        Row(before: [.loginAlice, .logout], event: .loginBob, requests: ["+bob"], subscribed: ["bob"]),
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
        var app = try App()
        let first = try app.launch()
        _ = try await first.push.perform(.addDevice(token: "a1b2c3d4"))
        for event in row.before {
            try await Self.apply(event, to: first.identity).value
            // What the app knows of the user.
            if event != .logout { _ = try await first.push.setTags(["of": .string(event.rawValue)]) }
        }
        let count = app.server.requests.count
        app.isOnline = isOnline
        _ = try? await Self.apply(row.event, to: app.launch().identity).value
        if !isOnline {
            #expect(app.server.requests.count == count)
            app.isOnline = true
            try await app.launch().identity.flush().value
        }
        #expect(app.requests(since: count) == row.requests)
        #expect(app.subscribed == row.subscribed)
        let state = try app.launch().identity.state()
        #expect(state.pendingSignOuts.isEmpty)
        #expect(state.user == row.subscribed.first)
        try await app.launch().identity.flush().value
        #expect(app.requests(since: count) == row.requests)
    }

    @Test("a user who left while offline is unregistered later, and nothing of theirs is sent for the next user")
    func switchOffline() async throws {
        var app = try App()
        let online = try app.launch()
        _ = try await online.push.perform(.addDevice(token: "a1b2c3d4"))
        try await online.identity.login("alice").value
        app.isOnline = false
        let offline = try app.launch()
        _ = try? await offline.push.setTags(["plan": "alice's"])
        _ = try? await offline.identity.logout().value
        _ = try? await offline.identity.login("bob").value
        let state = try offline.identity.state()
        #expect(state.user == "bob" && state.pendingSignOuts == ["alice"])
        app.isOnline = true
        let back = try app.launch()
        try await back.identity.flush().value
        _ = try await back.push.setTags(["plan": "bob's"])
        #expect(app.subscribed == ["bob"])
        #expect(app.idpush.devices.first?.tags == ["plan": "bob's"])
        #expect(!app.requests().contains { $0.contains("alice's") })
        try await app.launch().identity.flush().value
        #expect(app.idpush.devices.first?.tags == ["plan": "bob's"])
    }

    @Test("a user without a session stays pending, does not block the next one, and goes when the session is back")
    func noSession() async throws {
        var app = try App()
        try await app.launch().identity.login("alice").value
        app.sessions = ["bob": "t-bob"]
        await #expect(throws: KorePushError.self) { try await app.launch().identity.login("bob").value }
        #expect(app.subscribed == ["alice", "bob"])
        #expect(try app.launch().identity.state().pendingSignOuts == ["alice"])
        app.sessions["alice"] = "t-alice"
        try await app.launch().identity.flush().value
        #expect(app.subscribed == ["bob"])
        let state = try app.launch().identity.state()
        #expect(state.user == "bob" && state.pendingSignOuts.isEmpty)
    }

    @Test("the identity is the partition of the user's calls")
    func partition() async throws {
        let app = try App()
        let identity = try app.launch().identity
        #expect(identity.partition.isAnonymous)
        try await identity.login("alice").value
        #expect(identity.partition == Partition("alice"))
        #expect(try app.launch().identity.partition == Partition("alice"))
        try await identity.logout().value
        #expect(identity.partition.isAnonymous)
    }
}

extension KoreDeviceToken {
    fileprivate static func hex(_ text: String) -> KoreDeviceToken? { try? KoreDeviceToken(hex: text) }
}
