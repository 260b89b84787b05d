import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitObservability
import FileModel
import TestSupport

/// Each feature of a call, without the services: more calls at once, refreshes that fail for good, second requests, calls that
/// wait for a place or a slot, and an open circuit.
///
/// With everything else that keeps something they are in the schedule of the push services' tests.
/// `.ci/proofs sessions` tries 150.
@Suite("Whose call it is", .timeLimit(.minutes(10)), .paced)
struct SessionScheduleTests {
    private static let seeds = TestRounds.seeds(10)

    @Test(
        "no user sees another's data, no running call crosses a session, and each call is reported once",
        arguments: 0..<2
    )
    func anyOrder(shard: Int) async {
        var sum = VisitRecord.Counts()
        var policies = SessionViews.Policies()
        for seed in stride(from: Self.seeds.lowerBound + shard, to: Self.seeds.upperBound, by: 2) {
            let world = SessionWorld(seed: UInt64(seed))
            let problems = await world.run()
            #expect(problems == [], "seed \(seed)")
            sum.add(world.record.counts)
            policies.add(world.views.policies)
        }
        // A schedule in which nothing happens proves nothing; few seeds may lack what is rare.
        let least = [sum.responses / 4, sum.ended * 4, sum.shared * 20, sum.stored * 10, sum.renewals * 10].min() ?? 0
        #expect(Self.seeds.count < 100 || least > 0, "\(sum)")
        let rarest = [policies.places, policies.slots, policies.hedges, policies.refusals].min() ?? 0
        #expect(Self.seeds.count < 100 || rarest > 0, "\(policies)")
    }
}

/// Three users and some without a name, who come and go in any order while calls are under way.
final class SessionWorld: Sendable {
    private static let users = ["ann", "ben", "cleo"]
    private static let paths = ["a", "b", "c"]

    let record = VisitRecord()
    private let dice: VisitDice
    private let files = ModelFiles()
    private let jar = CookieJar()
    private let cache: ResponseCache
    private let tokens: TokenRefresher
    private let client: Client
    let views = SessionViews()
    private let current: Locked<Visit>

    init(seed: UInt64) {
        let (dice, record, views) = (VisitDice(seed: seed), record, views)
        self.dice = dice
        let disk = DiskStorage("/cache", limit: 8 << 20, files: files) { 0 }
        cache = ResponseCache(storage: TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk))
        let first = record.begin("ann")
        current = Locked(first)
        tokens = TokenRefresher(
            token: VisitCredential(visit: first, renewal: 0),
            origins: .any,
            user: "ann",
            coolDown: .zero,
            save: { credential in
                await dice.pause()
                if record.isClosed(credential.visit) {
                    record.problem("\(credential.visit.text) is saved, but has gone")
                }
            },
            refresh: { current in
                await dice.pause()
                guard let current else { throw NetworkError(.forbidden, "nobody is signed in", node: "World") }
                if dice.rolls(oneIn: 6) { throw NetworkError(.forbidden, "no", node: "World") }
                return record.renew(current.visit)
            }
        )
        record.register(first, as: tokens.session)
        client = Client(transport: SessionServer(record: record, dice: dice, views: views), seed: seed)
            .retry(RetryPolicy(limit: 2, backoff: .exponential(base: .microseconds(1), cap: .microseconds(1))))
            .authorize(tokens).cookies(jar).cache(cache).coalesce()
            // Retry hides most failures of the server: all count, so that the circuit opens.
            .breaker(CircuitBreaker(ratio: 0.2, minimumCalls: 2, pause: .milliseconds(1)) { _ in true })
            .limit(ConcurrencyLimiter(total: 3, perHost: 2))
            .hedge(after: .microseconds(1)).rate(RateLimiter(2_000, burst: 2))
            .trace(TracePolicy(to: [Origin(url("http://world.test"))]))
            .record(in: views.recorder).record(to: views.metrics)
            .insert(at: .call, scope: .none) { [record] next in
                AnyNode("Caller", successors: [next]) { request, context in
                    let login = await record.visit(of: context.session)
                    var request = request
                    request.headers["X-Session"] = login.text
                    let response = try await next.process(request, context: context)
                    Self.check(response, login, record)
                    return response
                }
            }
    }

    private static func check(_ response: TransportResponse, _ login: Visit, _ record: VisitRecord) {
        let text = String(decoding: response.body.data ?? Data(), as: UTF8.self)
        guard let old = Visit(text.dropFirst()), record.mayBeSeen(old, by: login, \.responses) else {
            return record.problem("\(login.text) gets \(text)")
        }
        record.count { $0.responses += 1 }
    }

    func run() async -> [String] {
        var calls: [Task<Void, Never>] = []
        var leaving: [Task<Void, Never>] = []
        for _ in 0..<24 {
            switch dice.roll(14) {
            case 0...6: calls.append(call())
            case 7: set(Self.users[dice.roll(3)])
            case 8: set(nil)
            case 9: await login(dice.rolls(oneIn: 3) ? nil : Self.users[dice.roll(3)])
            case 10:
                tokens.set(nil)
                signedOut()
            case 11: await signOut()
            case 12:
                if dice.rolls(oneIn: 2), !calls.isEmpty { calls[dice.roll(calls.count)].cancel() }
                if let task = await beginSignOut() { leaving.append(task) }
            default: await dice.pause(12)
            }
            await dice.pause(4)
        }
        for task in leaving + calls { await task.value }
        await look()
        await views.check(client, record)
        return record.problems
    }

    // MARK: - Steps

    private func call() -> Task<Void, Never> {
        let isWrite = dice.rolls(oneIn: 4)
        guard let url = URL(string: "http://world.test/\(Self.paths[dice.roll(3)])") else { return Task {} }
        var builder = UrlChainsBuilder<URL>(client: client).route(isWrite ? .post : .get, url)
        if isWrite { builder = builder.idempotencyKey() }
        let chain: Chain<Void, Data> = builder.loadData()
        return Task { [record, client, views] in
            do {
                if client.callsCoalesced > 0 { record.count { $0.shared += 1 } }
                _ = try await chain.process() as Data
                views.note(nil)
            } catch {
                if (error as? NetworkError)?.code == .userChanged { record.count { $0.ended += 1 } }
                views.note(error)
            }
        }
    }

    /// A login without a save: the same name goes on with its session.
    private func set(_ user: String?) {
        let login = next(user)
        tokens.set(record.credential(of: login), user: user)
        took(login)
    }

    private func login(_ user: String?) async {
        let login = next(user)
        try? await tokens.login(record.credential(of: login), user: user)
        took(login)
    }

    private func next(_ user: String?) -> Visit {
        let old = current.withLock { $0 }
        let isSame = user != nil && old.user == user && tokens.partition == user.map { Partition($0) }
        return isSame ? old : record.begin(user)
    }

    private func took(_ login: Visit) {
        current.withLock { $0 = login }
        record.register(login, as: tokens.session)
    }

    /// Nobody is signed in: a login of its own, for which there is never a response.
    private func signedOut() {
        // Who was signed out already stays in the same session.
        if !record.knows(tokens.session) { took(record.begin("gone")) }
    }

    private func signOut() async {
        await leave(current.withLock { $0 })
        signedOut()
    }

    /// Goes on as soon as the session has ended, while the keepers let go.
    private func beginSignOut() async -> Task<Void, Never>? {
        guard !tokens.isSignedOut else { return nil }
        let login = current.withLock { $0 }
        let task = Task { await leave(login) }
        while !tokens.isSignedOut { await Task.yield() }
        signedOut()
        return task
    }

    private func leave(_ login: Visit) async {
        let kinds = Set([SignOut.Kind.responses, .cookies].filter { _ in dice.rolls(oneIn: 3) })
        // Real time: nothing here takes any, but for a machine that is busy.
        let result = await client.signOut(within: .seconds(300), keeping: kinds)
        for leftover in result.leftovers { record.problem("left: \(leftover.kind), \(leftover.error)") }
        record.close(login, keeping: kinds)
    }

    // MARK: - What is left

    private func look() async {
        await cache.flush()
        let gone = record.gone
        for path in files.paths {
            let text = String(decoding: files.bytes(of: path) ?? [], as: UTF8.self)
            for piece in text.split(separator: "[").dropFirst() {
                guard let old = Visit(piece), Self.users.contains(old.user) || !old.isNamed else { continue }
                record.count { $0.stored += 1 }
                if !old.isNamed || old.number <= gone.responses[old.user] ?? 0 {
                    record.problem("\(old.text) is on disk")
                }
            }
        }
        let file = CookieFile(path: "/jar", files: files)
        do { try file.store(jar) } catch { record.problem("\(error)") }
        let text = String(decoding: files.bytes(of: "/jar") ?? [], as: UTF8.self)
        if text.contains(Visit.unnamed) { record.problem("the cookie of a user without a name is on disk") }
        for user in Self.users {
            for cookie in jar.allCookies(partition: Partition(user).name) {
                guard let old = Visit(cookie.value), old.user == user, old.number > gone.cookies[user] ?? 0 else {
                    record.problem("\(user) still has \(cookie.value)")
                    continue
                }
            }
            set(user)
            for _ in 0..<3 { await call().value }
        }
    }
}
