import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("What a cache must do", .timeLimit(.minutes(60)), .paced)
struct MustTests {
    private static let seeds = TestRounds.seeds(120, from: 1)

    @Test("no sequence of requests gets a response that RFC 9111 forbids", arguments: [true, false])
    func sequences(inMemory: Bool) async throws {
        var reused = 0
        // A sequence on disk takes a hundred times as long.
        let seeds = inMemory ? Self.seeds : Self.seeds.prefix(max(1, Self.seeds.count / 20))
        for seed in seeds {
            let folder = try TestFolder()
            let storage: any CacheStorage =
                inMemory ? MemoryStorage(limit: 1 << 20) : DiskStorage(folder.path, limit: 1 << 20) { 0 }
            reused += try await play(UInt64(seed), storage)
        }
        // An oracle that sees nothing reused proves nothing.
        #expect(reused > seeds.count / 4)
    }

    /// Plays one sequence; returns how many of its responses came from the cache.
    private func play(_ seed: UInt64, _ storage: any CacheStorage) async throws -> Int {
        let time = TestTime()
        let origin = OracleOrigin(seed: seed) { time.now.wall }
        let setting = Setting(storage: storage, time: time) { request, _ in try origin.respond(request) }
        var random = SplitMix64(seed: seed &* 0x9E37)
        var (log, reused) = (["seed \(seed)"], 0)
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            let chance = Int.random(in: 0..<10, using: &random)
            if chance == 0 { origin.change("/a") }
            if chance < 6 { time.advance([1, 5, 12, 40, 70, 300].randomElement(using: &random) ?? 1) }
            let request = try request(&random)
            let mode = mode(&random)
            let before = origin.messages.count
            log.append("at \(time.now.wall / 1000): \(request.method) \(request.url.path) \(request.headers)")
            // A call that the server aborts has no response.
            guard let response = try? await setting.send(request, mode: mode.mode) else {
                await setting.refreshes.idle()
                continue
            }
            let body = String(decoding: try await response.body.collect(), as: UTF8.self)
            await setting.refreshes.idle()
            await storage.flush()
            let oracle = MustOracle(
                request: request,
                response: response,
                body: body,
                messages: origin.messages,
                before: before,
                now: time.now.wall,
                staleIfError: mode.staleIfError,
                isLocal: mode.isLocal || request.headers["Cache-Control"] == "only-if-cached"
            )
            log.append("  \(response.status) \(response.headers)")
            if response.headers["X-Message"].flatMap({ Int($0) }) ?? .max < before { reused += 1 }
            let faults = oracle.faults
            if !faults.isEmpty { Issue.record("\(faults)\n\(log.joined(separator: "\n"))") }
        }
        return reused
    }

    private func mode(_ random: inout SplitMix64) -> (mode: CacheMode, staleIfError: Int64, isLocal: Bool) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: (.only, 0, true)
        case 1: (.staleIfError(for: .seconds(100)), 100, false)
        case 2: (.revalidate, 0, false)
        case 3: (.reload, 0, false)
        default: (.standard, 0, false)
        }
    }

    private func request(_ random: inout SplitMix64) throws -> TransportRequest {
        let path = ["a", "a", "b"].randomElement(using: &random) ?? "a"
        var headers = Headers()
        let languages = [nil, "en", "de"]
        if let language = languages.randomElement(using: &random) ?? nil { headers["Accept-Language"] = language }
        let controls = [
            "no-cache", "no-store", "max-age=20", "max-stale", "max-stale=30", "min-fresh=20", "only-if-cached",
        ]
        if Int.random(in: 0..<4, using: &random) == 0 {
            headers["Cache-Control"] = controls.randomElement(using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            let start = Int.random(in: 0..<24, using: &random)
            let end = start + Int.random(in: 0..<12, using: &random)
            headers["Range"] = ["bytes=\(start)-\(end)", "bytes=\(start)-", "bytes=-\(start + 1)"].randomElement(
                using: &random
            )
        }
        if Int.random(in: 0..<16, using: &random) == 0 { headers["If-None-Match"] = "\"en1\"" }
        var request = get(headers, try #require(URL(string: "http://shop.test/\(path)")))
        let methods: [HTTPMethod] = [.get, .get, .get, .get, .get, .get, .head, .post, .put, .delete]
        request.method = methods.randomElement(using: &random) ?? .get
        return request
    }
}
