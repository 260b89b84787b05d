import AlarmService
import CoreNetKit
import CoreNetKitMock
import CoreNetKitOutbox
import CoreNetKitSystem
import FileModel
import Foundation
import IDPushService
import KorePushService
import PushServersMock
import TestSupport

/// A device that several users share: their comments and taps in one outbox, two push services, one identity.
final class SharedPhone: Sendable {
    static let users = ["alice", "bob", "carol"]

    struct State: Sendable {
        var random: SplitMix64
        var isFaulty = false
        /// Comments that the server has, by their keys: the text of each.
        var comments: [String: String] = [:]
        /// Comments whose user has given them up before the server had them.
        var dropped: Set<String> = []
        var violations: [String] = []
        var files = ModelFiles()
    }

    let idpush = IDPushServer(projects: ["p1"])
    let kore = KorePushServer(users: Dictionary(uniqueKeysWithValues: users.map { ($0, "t-\($0)") }))
    let alarms = AlarmServer()
    let store = InMemoryStore()
    let state: Locked<State>

    init(seed: UInt64) {
        state = Locked(State(random: SplitMix64(seed: seed ^ 0xA5A5)))
        for _ in 0..<60 { alarms.insert(["type": "F01"]) }
    }

    /// The texts that the server has.
    var comments: [String] { state.withLock { Array($0.comments.values) } }

    /// Whose devices get notifications of Kore's.
    var subscribed: [String] { Self.users.filter { !kore.devices(of: $0).isEmpty } }

    /// Whose alarm a tap is for.
    static func owner(ofAlarm sequence: Int) -> String { users[sequence % users.count] }

    private enum Fault { case unreachable, unavailable, refused, lost }

    func answer(_ request: MockRequest) -> MockResponse {
        let fault = state.withLock { state -> Fault? in
            guard state.isFaulty else { return nil }
            let roll = Int.random(in: 0..<100, using: &state.random)
            return roll < 12 ? .unreachable : roll < 20 ? .unavailable : roll < 23 ? .refused : roll < 30 ? .lost : nil
        }
        switch fault {
        case .unreachable: return .failure(.cannotConnect)
        case .unavailable: return .status(503)
        case .refused where request.path == "/comments": return .status(401)
        default: break
        }
        let response = carryOut(request)
        return fault == .lost ? .failure(.connectionLost) : response
    }

    private func carryOut(_ request: MockRequest) -> MockResponse {
        let sender = request.headers["Authorization"]?.split(separator: "-").last.map(String.init) ?? "nobody"
        if request.path == "/comments" {
            let text = (try? Json(parsing: request.text))?["text"]?.string ?? ""
            let owner = String(text.prefix { $0 != " " })
            state.withLock { state in
                if owner != sender { state.violations.append("\(text) went out as \(sender)") }
                if state.dropped.contains(text) { state.violations.append("\(text) came back") }
                state.comments[request.headers["Idempotency-Key"] ?? UUID().uuidString] = text
            }
            return .status(201)
        }
        if request.path.hasPrefix("/api/users") {
            return kore.respond(
                method: request.method,
                target: request.path,
                headers: request.headers,
                body: request.text
            ).onMock
        }
        if request.path.contains("/device/") {
            return idpush.respond(
                method: request.method,
                path: request.path,
                headers: request.headers,
                body: request.text
            ).onMock
        }
        let form = request.text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let parameters = Dictionary(form.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { $1 }
        if let sequence = parameters["seq"].flatMap(Int.init), Self.owner(ofAlarm: sequence) != sender {
            state.withLock { $0.violations.append("the tap on alarm \(sequence) went out as \(sender)") }
        }
        return alarms.respond(
            method: request.method,
            path: request.path,
            headers: request.headers,
            parameters: parameters
        ).onMock
    }
}

private struct Comment: Encodable {
    let text: String
}

/// One process of its app.
final class SharedApp: Sendable {
    let phone: SharedPhone
    let outbox: Outbox
    let tokens: TokenRefresher
    let client: Client
    let push: IDPush
    let identity: PushIdentity
    private let comments: UrlChainsBuilder<URL>

    init(_ phone: SharedPhone) throws {
        self.phone = phone
        let files = phone.state.withLock { state in
            state.files = state.files.afterKill()
            return state.files
        }
        var options = Outbox.Options()
        options.pollInterval = nil
        let clock = SkippingClock()
        outbox = Outbox(files: files, folder: "/box", options: options, clock: clock) { clock.date }
        tokens = TokenRefresher(origins: .any) { _ in throw TransportError(.cannotConnect, phase: .connect, message: "")
        }
        let mock = MockTransport()
        mock.on(nil, "/**") { phone.answer($0) }
        let bare = Client(transport: mock).retry(RetryPolicy(limit: 0))
        client = bare.authorize(with: tokens).idempotencyKey().outbox(outbox)
        let server = URL(string: "http://127.0.0.1") ?? URL(filePath: "/")
        push = try IDPush(
            IDPushConfiguration(
                projectID: "p1",
                baseURL: server.appending(path: "api/v1/"),
                device: DeviceInfo(model: "m", systemVersion: "1", appVersion: "1")
            ),
            store: phone.store,
            client: bare,
            outbox: outbox
        )
        let member = KoreMember(token: { try? KoreDeviceToken(hex: Phone.token) }) { [outbox] user in
            try KorePush(
                session: KoreSession(userID: user, accessToken: "t-\(user)"),
                configuration: KoreConfiguration(server: server, retry: nil),
                store: phone.store,
                client: bare,
                outbox: outbox
            )
        }
        identity = PushIdentity(store: phone.store, members: [member, push], outbox: outbox)
        comments = UrlChainsBuilder<URL>(client: client).route(.post, server.appending(path: "comments"))
    }

    /// Stores a comment, of who is signed in unless somebody is named.
    func store(_ text: String, of user: Partition? = nil) async throws {
        let post: Chain<Comment, OutboxReceipt> = comments.enqueue(in: "comments", as: "comment", of: user)
        _ = try await post.process(Comment(text: text))
    }

    func list() -> AlarmList<String> {
        let base = URL(string: "http://127.0.0.1/api/v1") ?? URL(filePath: "/")
        let alarms = AlarmClient(base: base, builder: UrlChainsBuilder(client: client))
        return AlarmList(client: alarms, outbox: outbox) { $0 }
    }
}
