import CoreNetKitCache
import TestSupport

private func at(_ text: String, delivery: ResponseDelivery = .collect) -> TransportRequest {
    get([:], url(text), delivery: delivery)
}

@Suite("Clear-Site-Data", .timeLimit(.minutes(10)), .paced)
struct ClearSiteDataTests {
    private static func origin(_ value: String = "\"cache\"", status: Int = 200) -> Origin.Handler {
        { request, number in
            guard request.url.path == "/out" else { return reply(200, fresh, "\(number)") }
            return reply(status, control("max-age=60", ["Clear-Site-Data": value]), "out")
        }
    }

    @Test(
        "\"cache\" and \"*\" remove stored responses, other types and unquoted ones do not",
        arguments: [
            ("\"cache\"", true), ("\"*\"", true), ("\"cookies\", \"cache\"", true), ("\"cookies\"", false),
            ("cache", false), ("*", false), ("\"cache", false), ("\"Cache\"", false), ("", false),
        ]
    )
    func types(value: String, isCleared: Bool) async throws {
        let setting = Setting(Self.origin(value))
        _ = try await setting.send(at("https://shop.test/a?1"))
        _ = try await setting.send(at("https://shop.test/out"))
        #expect(try await setting.send(at("https://shop.test/a?1"), mode: .only).status == (isCleared ? 504 : 200))
    }

    @Test(
        "only responses that came encrypted, or from this machine, are believed",
        arguments: [
            ("https://shop.test", true), ("http://shop.test", false), ("http://localhost:8080", true),
            ("http://a.localhost", true), ("http://127.3.2.1", true), ("http://[::1]:1", true),
            ("http://127.0.0.1.shop.test", false), ("http://localhost.shop.test", false), ("http://128.0.0.1", false),
        ]
    )
    func trust(base: String, isCleared: Bool) async throws {
        let setting = Setting(Self.origin())
        _ = try await setting.send(at("\(base)/a"))
        _ = try await setting.send(at("\(base)/out"))
        #expect(try await setting.send(at("\(base)/a"), mode: .only).status == (isCleared ? 504 : 200))
    }

    @Test("other origins and other users keep their responses", arguments: [true, false])
    func others(onDisk: Bool) async throws {
        let folder = TestFolder()
        let memory = MemoryStorage(limit: 1 << 20)
        let storage: any CacheStorage =
            onDisk ? TieredStorage(front: memory, behind: DiskStorage(folder.path, limit: 1 << 20) { 0 }) : memory
        let setting = Setting(storage: storage, Self.origin(status: 500))
        let kept = ["https://shop.test:444/a", "https://www.shop.test/a", "http://shop.test/a"]
        for url in kept + ["https://shop.test/a", "https://shop.test/b"] { _ = try await setting.send(at(url)) }
        _ = try await setting.send(at("https://shop.test/a"), partition: "bob")
        await storage.flush()
        // An error response has the field too.
        _ = try await setting.send(at("https://shop.test/out"))
        for url in kept { #expect(try await setting.send(at(url), mode: .only).status == 200, "\(url)") }
        for path in ["a", "b", "out"] {
            #expect(try await setting.send(at("https://shop.test/\(path)"), mode: .only).status == 504)
        }
        // Kept, and validated once: the URL has an invalidation for the copies in other processes.
        #expect(await storage.keys(partition: "bob")?.count == 1)
        if onDisk {
            await storage.flush()
            let other = DiskStorage(folder.path, limit: 1 << 20) { 0 }
            #expect(await other.keys(partition: "")?.count == kept.count)
        }
    }

    @Test("responses under way are not stored, nor are streams; nor is the response with the field")
    func onTheWay() async throws {
        let stop = Stop()
        let setting = Setting { request, number in
            if request.url.path == "/slow" { await stop.pass() }
            return try await Self.origin()(request, number)
        }
        let open = try await setting.send(at("https://shop.test/stream", delivery: .stream))
        async let slow = setting.text(at("https://shop.test/slow"))
        await stop.isReached()
        _ = try await setting.send(at("https://shop.test/out"))
        stop.open()
        _ = try await slow
        _ = try await open.body.collect()
        for path in ["slow", "stream", "out"] {
            #expect(try await setting.send(at("https://shop.test/\(path)"), mode: .only).status == 504, "\(path)")
        }
        _ = try await setting.send(at("https://shop.test/later"))
        #expect(try await setting.send(at("https://shop.test/later"), mode: .only).status == 200)
    }

    @Test("a stored response does not repeat it, a validation does, and what it confirmed is still returned")
    func stored() async throws {
        let setting = Setting { request, _ in
            guard request.headers.contains("If-None-Match") else { return reply(200, tagged) }
            return reply(304, control("max-age=60", ["ETag": "\"a\"", "Clear-Site-Data": "\"cache\""]), "")
        }
        _ = try await setting.send(at("https://shop.test/a"))
        setting.time.advance(100)
        _ = try await setting.send(at("https://shop.test/b"))
        #expect(try await setting.text(at("https://shop.test/a")) == "body")
        #expect(try await setting.send(at("https://shop.test/b"), mode: .only).status == 504)
        #expect(try await setting.send(at("https://shop.test/a"), mode: .only).status == 504)
    }
}

@Suite("Responses removed at sign-out stay removed", .timeLimit(.minutes(10)), .paced)
struct SignOutRaceTests {
    @Test("an earlier reader does not bring them back from the disk")
    func readers() async {
        let storage = TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk())
        var random = SplitMix64(seed: 22)
        var left: [Int] = []
        for round in 0..<TestRounds.count(30) {
            let key = key(round, partition: "ann")
            await storage.store(Data("body".utf8), key)
            let count = Int.random(in: 2...6, using: &random)
            let pauses = (0...count).map { _ in Int.random(in: 0...3, using: &random) }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask {
                        for _ in 0..<pauses[number] { await Task.yield() }
                        _ = await storage.record(for: key)
                    }
                }
                for _ in 0..<pauses[count] { await Task.yield() }
                await storage.removeAll(partition: "ann")
            }
            if await storage.has(key) { left.append(round) }
        }
        #expect(left == [])
    }

    @Test("an earlier writer does not store them again", arguments: ["memory", "disk", "both"])
    func writers(kind: String) async {
        let storage: any CacheStorage =
            switch kind {
            case "memory": MemoryStorage(limit: 1 << 20)
            case "disk": disk()
            default: TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: disk())
            }
        // Opened before the removal begins, and ended at any time.
        var random = SplitMix64(seed: 5)
        var left: [Int] = []
        for round in 0..<120 {
            let key = key(round, partition: "ann")
            var writers: [any CacheWriter] = []
            for _ in 0..<4 {
                guard let writer = await storage.writer(key, length: 4, variant(round)) else { continue }
                _ = await writer.write(Data("body".utf8))
                writers.append(writer)
            }
            let pause = Int.random(in: 0...3, using: &random)
            await withTaskGroup(of: Void.self) { group in
                for writer in writers { group.addTask { _ = await writer.commit() } }
                for _ in 0..<pause { await Task.yield() }
                await storage.removeAll(partition: "ann")
            }
            await storage.flush()
            if await storage.has(key) { left.append(round) }
        }
        #expect(left == [])
    }
}
