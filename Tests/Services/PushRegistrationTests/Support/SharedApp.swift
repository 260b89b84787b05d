import AlarmService
import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitOutbox
import FileModel
import IDPushService
import KorePushService
import TestSupport

private struct Comment: Encodable {
    let text: String
}

/// One process of a shared phone's app, with everything that stores something for a user.
final class SharedApp: Sendable {
    let phone: SharedPhone
    let files: ModelFiles
    let outbox: Outbox
    let tokens: TokenRefresher
    let client: Client
    let push: IDPush
    let identity: PushIdentity
    let cache: ResponseCache
    let jar = CookieJar()
    private let comments: UrlChainsBuilder<URL>
    private let server: URL

    init(_ phone: SharedPhone) throws {
        self.phone = phone
        let files = phone.state.withLock { state in
            state.files = state.files.afterKill()
            return state.files
        }
        self.files = files
        var options = Outbox.Options()
        options.pollInterval = nil
        let clock = SkippingClock()
        outbox = Outbox(files: files, folder: "/box", options: options, clock: clock) { clock.date }
        let disk = DiskStorage("/cache", limit: 8 << 20, files: files) { 0 }
        cache = ResponseCache(storage: TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk))
        try CookieFile(path: "/jar", files: files).load(into: jar)
        tokens = Self.tokens(phone)
        let mock = MockTransport()
        mock.on(nil, "/**") { phone.reply($0) }
        let bare = Client(transport: PausingTransport(inner: mock, dice: phone.dice)).retry(RetryPolicy(limit: 0))
        client =
            bare
            .retry(RetryPolicy(limit: 1, backoff: .exponential(base: .microseconds(1), cap: .microseconds(1))))
            .authorize(tokens).cookies(jar).cache(cache).coalesce().idempotencyKey().outbox(outbox)
        server = URL(string: "http://127.0.0.1") ?? URL(filePath: "/")
        (push, identity) = try pushServices(phone.store, bare, outbox)
        comments = UrlChainsBuilder<URL>(client: client).route(.post, server.appending(path: "comments"))
    }

    private static func tokens(_ phone: SharedPhone) -> TokenRefresher {
        let (record, dice) = (phone.record, phone.dice)
        return TokenRefresher(
            origins: .any,
            coolDown: .zero,
            save: { (credential: VisitCredential) in
                await dice.pause()
                if record.isClosed(credential.visit) {
                    record.problem("\(credential.visit.text) is saved, but has gone")
                }
            },
            refresh: { (current: VisitCredential?) in
                await dice.pause()
                guard let current, !phone.isFaulty || !dice.rolls(oneIn: 3) else {
                    throw TransportError(.cannotConnect, phase: .connect, message: "")
                }
                return record.renew(current.visit)
            }
        )
    }

    // MARK: - What users do

    /// Stores a comment, for the signed-in user unless another one is named.
    func store(_ text: String, of user: Partition? = nil) async throws {
        let post: Chain<Comment, OutboxReceipt> = comments.enqueue(
            in: "comments",
            as: "comment",
            of: user,
            sending: .json
        )
        _ = try await post.process(Comment(text: text))
    }

    func list() -> AlarmList<String> {
        let base = URL(string: "http://127.0.0.1/api/v1") ?? URL(filePath: "/")
        let alarms = AlarmClient(base: base, builder: UrlChainsBuilder(client: client))
        return AlarmList(client: alarms, outbox: outbox) { $0 }
    }

    /// Loads a page, or writes it, and checks whose it is.
    func look(at page: String, isWrite: Bool = false) async {
        let record = phone.record
        let pages = UrlChainsBuilder<URL>(client: client).route(
            isWrite ? .post : .get,
            server.appending(path: "pages/\(page)")
        )
        .insert(at: .call, scope: .none) { next in
            AnyNode("Caller", successors: [next]) { request, context in
                let visit = await record.visit(of: context.session)
                let response = try await SharedPhone.$caller.withValue(visit) {
                    try await next.process(request, context: context)
                }
                Self.check(response, visit, record)
                return response
            }
        }
        let chain: Chain<Void, Data> = pages.loadData()
        if client.callsCoalesced > 0 { record.count { $0.shared += 1 } }
        do {
            _ = try await chain.process() as Data
        } catch let error as NetworkError where error.code == .userChanged {
            record.count { $0.ended += 1 }
        } catch {}
    }

    private static func check(_ response: TransportResponse, _ visit: Visit, _ record: VisitRecord) {
        let text = String(decoding: response.body.data ?? Data(), as: UTF8.self)
        guard let old = Visit(text.dropFirst()), record.mayBeSeen(old, by: visit, \.responses) else {
            return record.problem("\(visit.text) gets \(text)")
        }
        record.count { $0.responses += 1 }
    }

    // MARK: - What is left

    /// Writes what is in memory, as at the end of a process, and checks everything on disk.
    func store() async {
        let record = phone.record
        await cache.flush()
        do { try CookieFile(path: "/jar", files: files).store(jar) } catch { record.problem("\(error)") }
        let gone = record.gone
        for path in files.paths where path.hasPrefix("/cache/") {
            let text = String(decoding: files.bytes(of: path) ?? [], as: UTF8.self)
            for piece in text.split(separator: "[").dropFirst() {
                guard let old = Visit(piece), SharedPhone.users.contains(old.user) || !old.isNamed else { continue }
                record.count { $0.stored += 1 }
                if !old.isNamed || old.number <= gone.responses[old.user] ?? 0 {
                    record.problem("\(old.text) is on disk")
                }
            }
        }
        let text = String(decoding: files.bytes(of: "/jar") ?? [], as: UTF8.self)
        if text.contains(Visit.unnamed) { record.problem("the cookie of a user without a name is on disk") }
        for user in SharedPhone.users {
            for cookie in jar.allCookies(partition: Partition(user).name) {
                guard let old = Visit(cookie.value), old.user == user, old.number > gone.cookies[user] ?? 0 else {
                    record.problem("\(user) still has \(cookie.value)")
                    continue
                }
            }
        }
    }
}
