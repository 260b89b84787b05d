import CoreNetKit
import CoreNetKitCache
import CoreNetKitFleet
import Foundation

/// One of the eight: the pods share what these settings name, which is the same in each.
struct Pod: Sendable {
    struct Login: TokenCredential, Codable {
        var access: String
        var refresh: String
        var accessToken: AccessToken { AccessToken(access) }
    }

    private let number: Int
    private let ready: Chain<Void, Void>
    private let work: Chain<Void, Void>
    private let price: Chain<Void, Response<String>>
    private let report: Chain<[String: Int], Void>

    init(_ number: Int, _ store: any SharedStore, server: String) throws {
        self.number = number
        let name = "shop \(server)"
        // Belongs with your secrets, not in your code.
        let sealing = SealingKeys(try SealingKey(id: "2026-11", Data(repeating: 7, count: 32)))
        func builder(_ client: Client = Client()) -> UrlChainsBuilder<String> {
            UrlChainsBuilder<String>(client: client).set(headers: ["X-Pod": "\(number)"])
        }
        let renew: Chain<Login, Login> = builder().encode(as: .json).route(.post, "\(server)/token").build()
        let tokens = TokenRefresher(
            shared: SharedCredentials(store, named: name, sealing: sealing, afterLostRefresh: .endSession),
            token: Login(access: "a0", refresh: "r0"),
            origins: [server],
            user: "service"
        ) { (current: Login?) in try await renew.process(current ?? Login(access: "", refresh: "")) }
        let limiter = RateLimiter(
            EightPods.rate,
            burst: EightPods.burst,
            named: name,
            in: store,
            ifStoreUnavailable: .localShare(of: EightPods.count)
        )
        let behind = SharedCacheStorage(in: store, named: name, sealing: sealing)
        let cache = ResponseCache(
            storage: TieredStorage(front: MemoryStorage(limit: .mebibytes(1)), behind: behind),
            missTimeout: .milliseconds(500)
        )
        ready = builder().route(.get, "\(server)/ready").build()
        work = builder(Client().authorize(tokens).rate(limiter)).route(.get, "\(server)/work").build()
        price = builder(Client().cache(cache)).route(.get, "\(server)/price").build()
        report = builder().encode(as: .json).route(.post, "\(server)/report").build()
    }

    /// Waits until all are there, sends as fast as allowed, looks up the price with every call, and reports.
    func run() async throws {
        while (try? await ready.process()) == nil { try await Task.sleep(for: .milliseconds(20)) }
        let end = ContinuousClock.now + EightPods.length
        var (hits, lookups) = (0, 0)
        while ContinuousClock.now < end {
            try await work.process()
            lookups += 1
            if try await price.process().cache?.source == .hit { hits += 1 }
        }
        try await report.process(["hits": hits, "lookups": lookups])
    }
}
