import CoreNetKitCache
import CoreNetKitFleet
import TestSupport

/// Times of day are one process's own: nothing that several agree on goes by them.
@Suite("A process whose clock is a day off", .timeLimit(.minutes(10)), .paced)
struct ClockSkewTests {
    private static let day = 86_400.0

    @Test("uses no refresh token twice, and leaves the others their token", arguments: [day, -day])
    func token(skew: Double) async throws {
        let (store, auth) = (LocalStore(), AuthServer())
        let now = Date()
        auth.expires.withLock { $0 = now.addingTimeInterval(3600) }
        let wrong = Pod(auth, in: store, date: { now.addingTimeInterval(skew) })
        let right = (0..<2).map { _ in Pod(auth, in: store, date: { now }) }
        auth.expire()
        for _ in 0..<5 {
            try await wrong.call()
            try await right.call()
        }
        #expect(auth.doubles == 0)
        // The one that is ahead takes each token for expired: that costs a refresh a call, and nothing else.
        #expect(skew > 0 ? auth.spends <= 15 : auth.spends == 1, "\(auth.spends)")
        for pod in [wrong] + right { #expect(pod.events.values.isEmpty, "\(pod.events.values)") }
    }

    @Test("returns nothing that it stored or found as fresher than it is", arguments: [day, -day], [true, false])
    func cache(skew: Double, isWriter: Bool) async throws {
        let (store, now) = (LocalStore(), Date())
        let asked = Recorder<String?>()
        func client(_ skew: Double, _ age: Double) -> Client {
            let date: @Sendable () -> Date = { now.addingTimeInterval(skew + age) }
            let transport = ClosureTransport { request in
                asked.record(request.headers["If-None-Match"])
                let headers: Headers = ["Cache-Control": "max-age=600", "ETag": "\"a\""]
                let isSame = request.headers["If-None-Match"] != nil
                let body = ResponseBody.bytes(Data((isSame ? "" : "x").utf8))
                return .init(status: isSame ? 304 : 200, headers: headers, body: body, url: request.url)
            }
            let storage = SharedCacheStorage(in: store, named: "test", sealing: .plain, date: date)
            // A clock of a test's is a machine of its own: steady clocks of two machines cannot be compared.
            let cache = ResponseCache(storage: storage, clock: CallClock(ManualClock()), date: date)
            return Client(transport: transport, date: date).cache(cache)
        }
        let (first, second) = isWriter ? (skew, 0) : (0, skew)
        for client in [client(first, 0), client(second, 700)] { #expect(try await client.text() == "x") }
        // Stale by now in truth: the second one asks, whatever its clock says of the first one's.
        #expect(asked.values == [nil, "\"a\""])
    }

    @Test("takes no more of a rate than the others: the store's clock counts")
    func rate() async throws {
        let (clock, store) = (ManualClock(), LocalStore(clock: ManualClock()))
        let sent = Recorder<Int>()
        let clients = [0, Self.day, -Self.day].enumerated().map { index, skew in
            let hour = Duration.seconds(3600)
            let limiter = RateLimiter(10, per: hour, burst: 10, named: "api", in: store, ifStoreUnavailable: .closed)
            let transport = ClosureTransport { request in
                sent.record(index)
                return .init(status: 200, url: request.url)
            }
            let date: @Sendable () -> Date = { Date().addingTimeInterval(skew) }
            return Client(transport: transport, clock: CallClock(clock), date: date).rate(limiter)
        }
        for number in 0..<30 {
            let error = await failure { try await clients[number % 3].call(deadline: .seconds(60)) }
            #expect(error == nil || error?.code == .rateLimited)
        }
        #expect(sent.values.count == 10)
    }
}
