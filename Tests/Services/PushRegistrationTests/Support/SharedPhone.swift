import FileModel
import IDPushService
import KorePushService
import PushDoubles
import PushServersMock
import TestSupport

/// A device that several users share, and its servers, which report the assumed caller and know the real one.
final class SharedPhone: Sendable {
    static let users = ["alice", "bob", "carol"]

    /// Whose call is being sent, if a builder has said so.
    @TaskLocal static var caller: Visit?

    struct State: Sendable {
        var isFaulty = false
        /// The comments on the server, by key: the text of each.
        var comments: [String: String] = [:]
        /// Comments that their user gave up before the server had them.
        var dropped: Set<String> = []
        var files = ModelFiles()
    }

    let idpush = IDPushServer(projects: ["p1"])
    let kore = KorePushServer(users: Dictionary(uniqueKeysWithValues: users.map { ($0, "t-\($0)") }))
    let alarms = AlarmServer()
    let store = InMemoryStore()
    let record = VisitRecord()
    let dice: VisitDice
    let state = Locked(State())

    init(seed: UInt64) {
        dice = VisitDice(seed: seed ^ 0xA5A5)
        for _ in 0..<60 { alarms.insert(["type": "F01"]) }
    }

    var comments: [String] { state.withLock { Array($0.comments.values) } }

    var isFaulty: Bool { state.withLock { $0.isFaulty } }

    var subscribed: [String] { Self.users.filter { !kore.devices(of: $0).isEmpty } }

    /// Whose alarm a tap is for.
    static func owner(ofAlarm sequence: Int) -> String { users[sequence % users.count] }

    /// Notes that no more comments may arrive, except those that the server has.
    func drop(_ texts: Set<String>) {
        state.withLock { state in
            let sent = Set(state.comments.values)
            state.dropped.formUnion(texts.filter { !sent.contains($0) })
        }
    }

    // MARK: - Servers

    private enum Fault { case unreachable, unavailable, refused, lost }

    func reply(_ request: MockRequest) -> MockResponse {
        let roll = isFaulty ? dice.roll(100) : 100
        let fault: Fault? =
            roll < 12 ? .unreachable : roll < 20 ? .unavailable : roll < 23 ? .refused : roll < 30 ? .lost : nil
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
        if request.path.hasPrefix("/api/users") { return kore.reply(to: request) }
        if request.path.contains("/device/") { return idpush.reply(to: request) }
        // The users' client sends what follows.
        guard let token = request.headers["Authorization"]?.dropFirst("Bearer ".count), let sender = Visit(token),
            let renewal = token.split(separator: ".").last.flatMap({ Int($0) })
        else {
            record.problem("\(request.path) without a token")
            return .status(400)
        }
        check(request, of: sender)
        if renewal < record.renewal(of: sender) { return .status(401) }
        if isFaulty, dice.rolls(oneIn: 5) { record.expire(sender) }
        switch request.path {
        case "/comments": return comment(request, sender)
        case let path where path.hasPrefix("/pages"): return page(request, sender)
        default: return tap(request, sender)
        }
    }

    private func check(_ request: MockRequest, of sender: Visit) {
        if let caller = Self.caller {
            record.count { $0.sent += 1 }
            if caller != sender { record.problem("a call of \(caller.text) is sent with the token of \(sender.text)") }
        }
        guard let cookie = request.headers["Cookie"] else { return }
        guard let old = Visit(cookie.dropFirst(2)), record.mayBeSeen(old, by: sender, \.cookies) else {
            return record.problem("\(sender.text) sends the cookie \(cookie)")
        }
    }

    private func comment(_ request: MockRequest, _ sender: Visit) -> MockResponse {
        let text = (try? Json(parsing: request.text))?["text"]?.string ?? ""
        if String(text.prefix { $0 != " " }) != sender.user { record.problem("\(text) went out as \(sender.text)") }
        let isDropped = state.withLock { state in
            state.comments[request.headers["Idempotency-Key"] ?? UUID().uuidString] = text
            return state.dropped.contains(text)
        }
        if isDropped { record.problem("\(text) came back") }
        return .status(201)
    }

    private func page(_ request: MockRequest, _ sender: Visit) -> MockResponse {
        let response = MockResponse.text("[\(sender.text).\(request.url.lastPathComponent)]")
            .header("Cache-Control", "max-age=600")
        guard dice.rolls(oneIn: 2) else { return response }
        return response.header("Set-Cookie", "s=\(sender.text); Path=/; Max-Age=1000")
    }

    private func tap(_ request: MockRequest, _ sender: Visit) -> MockResponse {
        let sequence = request.form.last { $0.name == "seq" }.flatMap { Int($0.value) }
        if let sequence, Self.owner(ofAlarm: sequence) != sender.user {
            record.problem("the tap on alarm \(sequence) went out as \(sender.text)")
        }
        return alarms.respond(to: request).onMock
    }
}

/// Yields now and then.
struct PausingTransport: Transport {
    let inner: MockTransport
    let dice: VisitDice

    var capabilities: TransportCapabilities { inner.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        await dice.pause(4)
        let response = try await inner.send(request)
        await dice.pause(4)
        return response
    }
}
