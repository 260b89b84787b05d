import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitFleet
import CoreNetKitObservability
import CoreNetKitOutbox
import CoreNetKitSharedStore
import CoreNetKitSignatures
import TestSupport

let featureRows: [SettingRow] =
    cacheRows + cookieRows + endpointRows + fleetRows + recordRows + outboxRows + signatureRows

private let cacheRows = [
    SettingRow("CacheSize.bytes(_:)", "CacheSize.kibibytes(_:)", "CacheSize.mebibytes(_:)") { extreme in
        let folder = try TemporaryFolder()
        let sizes: [CacheSize] = [
            .bytes(extreme.int(1 << 20)), .kibibytes(extreme.int(1024)), .mebibytes(extreme.int(1)),
        ]
        for size in sizes {
            let cache = ResponseCache(memory: size, disk: .folder(folder.url, limit: size))
            for _ in 0..<2 { try await call(client().cache(cache)) }
            await cache.flush()
        }
    },
    SettingRow("CacheMode.staleIfError(for:)", "CacheMode.ttl(_:)") { extreme in
        let client = client().cache(ResponseCache())
        for mode in [.staleIfError(for: extreme.duration(.seconds(1))), .ttl(extreme.duration(.seconds(1)))]
            as [CacheMode]
        {
            for _ in 0..<2 { try await call(client.cache(mode)) }
        }
    },
    SettingRow([
        "ResponseCache.init(storage:confidential:timeout:missTimeout:earlyRefresh:clock:date:)",
        "TieredStorage.init(front:behind:copiesFor:clock:)", "TieredStorage.lease(_:for:)",
        "TieredStorage.writer(of:for:length:keepFor:)", "MemoryStorage.writer(of:for:length:keepFor:)",
        "CacheStorage.lease(_:for:)", "CacheStorage.writer(of:for:length:keepFor:)",
    ]) { extreme in
        let storage = TieredStorage(
            front: MemoryStorage(limit: .mebibytes(1)),
            behind: MemoryStorage(limit: .mebibytes(1)),
            copiesFor: extreme.duration(.seconds(1))
        )
        let cache = ResponseCache(
            storage: storage,
            timeout: extreme.duration(.seconds(1)),
            missTimeout: extreme.duration(.zero),
            earlyRefresh: extreme.double(0)
        )
        for _ in 0..<2 { try? await call(client().cache(cache)) }
        let key = CacheKey(url: page)
        _ = await storage.lease(key, for: extreme.duration(.seconds(1)))
        guard let variant = await storage.record(for: key)?.variants.first else { return }
        let writer = await storage.writer(
            of: variant,
            for: key,
            length: extreme.int(Int64(3)),
            keepFor: extreme.duration(.seconds(1))
        )
        _ = await writer?.write(Data("abc".utf8))
        _ = await writer?.commit()
    },
]

private let cookieRows = [
    SettingRow(
        "Cookie.init(name:value:domain:isHostOnly:path:expires:isSecure:isHTTPOnly:sameSite:created:)",
        "Cookie.isExpired(at:)"
    ) { extreme in
        let folder = try TemporaryFolder()
        let cookie = Cookie(
            name: "a",
            value: "b",
            domain: "settings.test",
            expires: extreme.date(.now + 3600),
            created: extreme.date(.now)
        )
        _ = cookie.isExpired(at: extreme.date(.now))
        let jar = CookieJar()
        try jar.set(cookie)
        jar.take(netscapeText: jar.netscapeText())
        _ = jar.field(for: page)
        // One that cannot be stored would keep all others from it.
        do { try CookieFile(at: folder["jar"]).store(jar) } catch {
            Issue.record("\(error): \(extreme)")
        }
    },
    SettingRow([
        "CookieLimits.init(perDomain:total:partitions:)", "CookieLimits.partitions", "CookieLimits.perDomain",
        "CookieLimits.total",
    ]) { extreme in
        var limits = CookieLimits(perDomain: extreme.int(2), total: extreme.int(4), partitions: extreme.int(2))
        for change in 0..<2 {
            let jar = CookieJar(limits: limits)
            for partition in ["a", "b", "c"] {
                jar.take(["a=1", "b=2", "c=3"], from: page, partition: partition)
                _ = jar.field(for: page, partition: partition)
            }
            guard change == 0 else { break }
            limits.perDomain = extreme.int(2)
            limits.total = extreme.int(4)
            limits.partitions = extreme.int(2)
        }
    },
    SettingRow("CookieJar.keep(in:includesSession:after:on:failed:)") { extreme in
        let folder = try TemporaryFolder()
        let jar = CookieJar()
        try jar.keep(in: CookieFile(at: folder["jar"]), after: extreme.duration(.milliseconds(1)))
        jar.take(["a=1; Max-Age=60"], from: page)
        try await jar.save()
    },
]

private let fleetRows = [
    SettingRow("CircuitBreaker.init(ratio:minimumCalls:window:pause:named:in:counts:events:)") { extreme in
        let breaker = CircuitBreaker(
            ratio: extreme.double(0.5),
            minimumCalls: extreme.int(1),
            window: extreme.duration(.seconds(10)),
            pause: extreme.duration(.milliseconds(1)),
            named: "server",
            in: LocalStore()
        )
        for status in [500, 500, 200] { try? await call(client(.status(status)).breaker(breaker)) }
    },
    SettingRow([
        "GuardedStore.init(_:timeout:clock:)", "GuardedStore.lease(_:for:)", "GuardedStore.remove(_:ifVersion:)",
        "GuardedStore.takeTokens(_:from:)", "GuardedStore.write(_:_:ifVersion:for:)", "LocalStore.lease(_:for:)",
        "LocalStore.remove(_:ifVersion:)", "LocalStore.takeTokens(_:from:)", "LocalStore.write(_:_:ifVersion:for:)",
        "SharedBucket.init(_:tokens:per:burst:maximumWait:)",
    ]) { extreme in
        let store = GuardedStore(LocalStore(), timeout: extreme.duration(.seconds(1)))
        let key = SharedKey(kind: "kind", "name")
        let bucket = SharedBucket(
            key,
            tokens: extreme.int(10),
            per: extreme.duration(.seconds(1)),
            burst: extreme.int(2),
            maximumWait: extreme.duration(.zero)
        )
        for _ in 0..<2 { _ = try? await store.takeTokens(extreme.int(1), from: bucket) }
        if let lease = try? await store.lease(key, for: extreme.duration(.seconds(1))) {
            try? await store.release(lease)
        }
        _ = try? await store.write(key, Data(), ifVersion: extreme.int(UInt64(0)), for: extreme.duration(.seconds(1)))
        _ = try? await store.remove(key, ifVersion: extreme.int(UInt64(1)))
    },
    SettingRow("IdempotencyRecords.init(in:named:sealing:keepFor:lease:ifStoreUnavailable:events:)") { extreme in
        let records = IdempotencyRecords(
            in: LocalStore(),
            named: "orders",
            sealing: .plain,
            keepFor: extreme.duration(.seconds(60)),
            lease: extreme.duration(.seconds(60))
        )
        for _ in 0..<2 { try? await call(client().idempotencyKey { "key" }.with(records), .post) }
    },
    SettingRow(
        "RateLimiter.init(_:per:burst:named:in:ifStoreUnavailable:dryRun:events:)",
        "StoreFailurePolicy.localShare(of:)"
    ) {
        extreme in
        let limiter = RateLimiter(
            extreme.int(1000),
            per: extreme.duration(.seconds(1)),
            burst: extreme.int(10),
            named: "server",
            in: LocalStore(),
            ifStoreUnavailable: .localShare(of: extreme.int(4))
        )
        for _ in 0..<3 { try await call(client().rate(limiter)) }
    },
    SettingRow("SharedCacheStorage.lease(_:for:)") { extreme in
        let storage = SharedCacheStorage(in: LocalStore(), named: "cache", sealing: .plain)
        _ = await storage.lease(CacheKey(url: page), for: extreme.duration(.seconds(1)))
    },
    SettingRow(
        "SharedCredentials.init(_:named:sealing:afterLostRefresh:lease:life:clock:events:)",
        "TokenRefresher.init(shared:token:origins:user:margin:timeout:coolDown:fields:refuses:save:refresh:)"
    ) { extreme in
        let credentials = SharedCredentials(
            LocalStore(),
            named: "login",
            sealing: .plain,
            afterLostRefresh: .spendAgain,
            lease: extreme.duration(.seconds(10)),
            life: extreme.duration(.seconds(60))
        )
        let refresher = TokenRefresher(
            shared: credentials,
            token: AccessToken("a"),
            origins: .any,
            user: "alice",
            margin: extreme.duration(.seconds(30)),
            timeout: extreme.duration(.seconds(30)),
            coolDown: extreme.duration(.seconds(30))
        ) { _ in AccessToken("b", expires: .now) }
        for _ in 0..<2 { try? await call(client(.status(401)).authorize(refresher)) }
    },
    SettingRow([
        "ValkeyStore.Server.tcp(_:port:)", "ValkeyStore.Server.tls(_:port:_:)",
        "ValkeyStore.init(_:credentials:name:timeout:clock:)", "ValkeyStore.lease(_:for:)",
        "ValkeyStore.remove(_:ifVersion:)", "ValkeyStore.takeTokens(_:from:)", "ValkeyStore.write(_:_:ifVersion:for:)",
    ]) { extreme in
        // Nothing is there: a port below 1024 that no test has, or none.
        let (plain, tls) = (extreme.int(1), extreme.int(1))
        let servers: [ValkeyStore.Server] = [.tcp("127.0.0.1", port: plain), .tls("127.0.0.1", port: tls)]
        let key = SharedKey(kind: "kind", "name")
        for server in servers {
            let store = ValkeyStore(server, timeout: extreme.duration(.milliseconds(20)))
            _ = try? await store.lease(key, for: extreme.duration(.seconds(1)))
            _ = try? await store.write(
                key,
                Data(),
                ifVersion: extreme.int(UInt64(1)),
                for: extreme.duration(.seconds(1))
            )
            _ = try? await store.remove(key, ifVersion: extreme.int(UInt64(1)))
            _ = try? await store.takeTokens(extreme.int(1), from: SharedBucket(key, tokens: 1, burst: 1))
        }
    },
]

private let recordRows = [
    SettingRow("CallFeed.init(to:limit:byteLimit:)") { extreme in
        let feed = CallFeed(to: RecordingSink(), limit: extreme.int(10), byteLimit: extreme.int(1 << 20))
        try await call(client().record(through: feed))
        await feed.flush()
    },
    SettingRow("CallMetrics.init(seriesLimit:date:)") { extreme in
        let date = extreme.date(.now)
        let metrics = CallMetrics(seriesLimit: extreme.int(100)) { date }
        let client = client().record(to: metrics)
        try await call(client)
        await client.flushRecords()
        _ = (metrics.prometheus, metrics.otlp(service: "settings"))
    },
    SettingRow("CallRecorder.init(keep:byteLimit:keepsBodies:)") { extreme in
        let folder = try TemporaryFolder()
        let recorder = CallRecorder(keep: extreme.int(10), byteLimit: extreme.int(1 << 20))
        let client = client().record(to: recorder)
        for _ in 0..<3 { try await call(client) }
        await client.flushRecords()
        try recorder.writeHAR(to: folder["calls.har"])
    },
    SettingRow([
        "OTLPExporter.Limits.batch", "OTLPExporter.Limits.delay", "OTLPExporter.Limits.queue",
        "OTLPExporter.Limits.retries", "OTLPExporter.Limits.timeout", "OTLPExporter.flush(within:)",
        "OTLPExporter.shutdown(within:)",
    ]) { extreme in
        var limits = OTLPExporter.Limits()
        limits.batch = extreme.int(10)
        limits.delay = extreme.duration(.milliseconds(1))
        limits.queue = extreme.int(10)
        limits.retries = extreme.int(1)
        limits.timeout = extreme.duration(.seconds(1))
        let exporter = OTLPExporter(
            to: page,
            service: "settings",
            transport: MockTransport { $0.on(nil, "/**", .ok) },
            limits: limits
        )
        let client = client().record(to: exporter)
        for _ in 0..<3 { try await call(client) }
        await client.flushRecords()
        await exporter.flush(within: extreme.duration(.milliseconds(100)))
        await exporter.shutdown(within: extreme.duration(.milliseconds(100)))
    },
    SettingRow("TextWaterfall.columns", "TextWaterfall.init(columns:isColored:)") { extreme in
        let sink = RecordingSink()
        let client = client().record(to: sink)
        try await call(client)
        await client.flushRecords()
        var waterfall = TextWaterfall(columns: extreme.int(80))
        _ = waterfall.text(of: sink.records)
        waterfall.columns = extreme.int(80)
        _ = waterfall.text(of: sink.records)
    },
    SettingRow("TracePolicy.Sampling.ratio(_:)") { extreme in
        try await call(client().with(TracePolicy(to: [Origin(page)], sampling: .ratio(extreme.double(0.5)))))
    },
    SettingRow("Cassette.Options.maximumAge", "Cassette.Options.warningAge") { extreme in
        let folder = try TemporaryFolder()
        let tape = folder["tape.json"]
        let live = MockTransport { $0.on(nil, "/**", .ok) }
        for mode in [.recordOnce, .replay] as [Cassette.Mode] {
            var options = Cassette.Options()
            options.maximumAge = extreme.duration(.seconds(60))
            options.warningAge = extreme.duration(.seconds(60))
            _ = try? await Cassette(tape, mode: mode, live: live, options: options).send(TransportRequest(url: page))
        }
    },
]

private let outboxRows = [
    SettingRow([
        "Outbox.Limits.blobBytes", "Outbox.Limits.bytes", "Outbox.Limits.entries", "Outbox.Limits.longestInlineBody",
        "Outbox.Limits.init(entries:bytes:blobBytes:longestInlineBody:)", "Outbox.Options.concurrency",
        "Outbox.Options.firstBackoff", "Outbox.Options.longestBackoff", "Outbox.Options.longestRetryAfter",
        "Outbox.Options.pollInterval", "Outbox.Options.revision", "Outbox.init(at:owner:options:clock:date:seed:)",
        "Outbox.enqueue(_:in:kind:expires:merging:repetition:key:owner:expects:when:)",
        "OutboxRepetition.keyIsHonoured(for:)", "Outbox.drain(until:with:)",
    ]) { extreme in
        let folder = try TemporaryFolder()
        var options = Outbox.Options()
        options.limits = Outbox.Limits(
            entries: extreme.int(10),
            bytes: extreme.int(1 << 20),
            blobBytes: extreme.int(1 << 20),
            longestInlineBody: extreme.int(1 << 10)
        )
        options.concurrency = extreme.int(4)
        options.firstBackoff = extreme.duration(.milliseconds(1))
        options.longestBackoff = extreme.duration(.milliseconds(1))
        options.longestRetryAfter = extreme.duration(.seconds(1))
        options.pollInterval = extreme.duration(.seconds(1))
        options.revision = extreme.int(1)
        options.durability = .written
        let outbox = try Outbox(at: folder["box"], options: options, seed: extreme.int(UInt64(7)))
        let request = OutboxRequest(method: .post, url: page, body: .bytes(Data("abc".utf8)))
        _ = try? await outbox.enqueue(
            request,
            expires: extreme.duration(.seconds(60)),
            repetition: .keyIsHonoured(for: extreme.duration(.seconds(60))),
            key: "key"
        )
        try await outbox.drain(until: extreme.date(.now + 60), with: client())
    },
    SettingRow("UrlChainsBuilder.enqueue(in:as:expires:merging:repetition:of:when:sending:)") { extreme in
        let folder = try TemporaryFolder()
        let outbox = try Outbox(at: folder["box"])
        let client = client().outbox(outbox)
        let chain = UrlChainsBuilder(client: client).route(.post, page).enqueue(expires: extreme.duration(.seconds(60)))
        _ = try await chain.process() as OutboxReceipt
    },
    SettingRow("OutboxJob.Outcome.later(_:after:)") { extreme in
        let folder = try TemporaryFolder()
        let outbox = try Outbox(at: folder["box"])
        let pause = extreme.duration(.milliseconds(1))
        outbox.assign(OutboxJob("job", isDue: { true }, carryOut: { .later("not yet", after: pause) }))
        try await outbox.drain(until: .now + 0.01, with: client())
    },
]

private let signatureRows = [
    SettingRow("AWSSignature.presignedURL(_:method:lifetime:at:)", "HTTPMessageSignature.lifetime") { extreme in
        let aws = AWSSignature(service: "s3", region: "r", origins: .any) { .init(keyID: "id", secret: "secret") }
        let (lifetime, date) = (extreme.duration(.seconds(60)), extreme.date(.now))
        _ = try? await aws.presignedURL(page, lifetime: lifetime, at: date)
        var signature = HTTPMessageSignature(.hmac(Data([1]), id: "key"), covering: ["@path"], origins: .any)
        signature.lifetime = extreme.duration(.seconds(60))
        try? await call(client().signature(signature))
    }
]
