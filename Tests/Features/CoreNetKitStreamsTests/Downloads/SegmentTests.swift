import TestSupport

@testable import CoreNetKitStreams

@Suite("Downloads with several concurrent requests", .timeLimit(.minutes(10)), .paced)
struct SegmentTests: DownloadSuite {
    private static let content = FileHost.content(9 << 20)

    let host: FileHost

    init() throws { host = try FileHost(Self.content) }

    private func segments(_ check: DownloadCheck = .size) -> Chain<Void, Download> {
        UrlChainsBuilder<URL>().route(.get, host.url).download(to: target, segments: 4, verify: check)
    }

    private func expectWhole() throws { try expectComplete(host.settings.withLock { $0.content }) }

    @Test("the first request learns the size, the rest comes in segments, and nothing is requested twice")
    func stretches() async throws {
        let done = try await segments().process()
        #expect(done.size == Self.content.count && done.reused == 0)
        try expectWhole()
        #expect(host.server.requests.count == 5)
        let asked = host.ranges.compactMap { range -> Range<Int>? in
            let ends = (range ?? "").dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            return ends.count == 2 ? ends[0]..<ends[1] + 1 : nil
        }.sorted { $0.lowerBound < $1.lowerBound }
        #expect(asked.first == 0..<1 << 20 && asked.last?.upperBound == Self.content.count)
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(host.server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"1\"" })
    }

    @Test(
        "a server without ranges, without a strong validator or without content is asked for the whole",
        arguments: ["no ranges", "weak", "empty", "short"]
    )
    func plain(kind: String) async throws {
        host.settings.withLock { settings in
            switch kind {
            case "no ranges": settings.hasRanges = false
            case "weak": settings.tag = "W/\"1\""
            case "empty": settings.content = []
            default: settings.content = Array(settings.content.prefix(1000))
            }
        }
        _ = try await segments().process()
        try expectWhole()
        if kind == "no ranges" || kind == "short" { #expect(host.server.requests.count == 1) }
    }

    @Test("content that changes meanwhile is loaded again once, and no two versions are mixed")
    func changes() async throws {
        let other = Array(Self.content.reversed())
        host.settings.withLock { settings in
            settings.onRequest = { number, settings in
                if number == 3 { (settings.content, settings.tag) = (other, "\"2\"") }
            }
        }
        _ = try await segments().process()
        try expectWhole()
        host.settings.withLock { $0.onRequest = { number, settings in settings.tag = "\"n\(number)\"" } }
        #expect(await failure(segments()).code == .changedAgain)
    }

    @Test("a failed request ends the others, and what they have loaded is used by the next call")
    func failure() async throws {
        host.settings.withLock { settings in
            settings.onRequest = { number, settings in
                if number == 4 { settings.change = { _, _ in .status(503) } } else { settings.change = nil }
            }
        }
        #expect(await failure(segments()).error?.status == 503)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        host.settings.withLock { ($0.onRequest, $0.change) = (nil, nil) }
        let done = try await segments().process()
        #expect(done.reused >= 1 << 20)
        try expectWhole()
    }

    @Test("what one request has begun several continue, and what several have begun one loads again")
    func mixed() async throws {
        try await breakOff(behind: 3 << 20)
        #expect(try await segments().process().reused == 3 << 20)
        try expectWhole()
        try FileManager.default.removeItem(at: target)
        host.settings.withLock { $0.breaks = 600_000 }
        await #expect(throws: NetworkError.self) { try await segments().process() }
        host.settings.withLock { $0.breaks = nil }
        #expect(try await chain().process().reused == 0)
        try expectWhole()
    }

    @Test("bytes that do not match a digest are loaded once more, then an error")
    func digest() async throws {
        let content = Array(Self.content.prefix(2 << 20 | 5))
        host.settings.withLock { $0.content = content }
        let right = Hex.encode(SHA256.digest(content))
        _ = try await segments(.sha256(right)).process()
        try expectWhole()
        let wrong = Hex.encode(SHA256.digest([1]))
        #expect(await failure(segments(.sha256(wrong))).code == .digestMismatch)
    }

    @Test("a process killed at any time leaves what the next one continues", .enabled(if: ChildProcess.probe != nil))
    func kills() async throws {
        let outputs = try TemporaryFolder()
        var random = SplitMix64(seed: UInt64.random(in: .min ... .max))
        for _ in 0..<12 {
            // By what the server has given, not by time: it kills whoever asks.
            let limit = Int.random(in: 1...Self.content.count, using: &random)
            let pid = Locked<Int32>(0)
            host.settings.withLock { settings in
                settings.given = 0
                settings.onGiven = { given in
                    guard given >= limit else { return }
                    let number = pid.withLock { pid in
                        defer { pid = 0 }
                        return pid
                    }
                    if number > 0 { kill(number, SIGKILL) }
                }
            }
            let arguments = ["segments", "4", host.url.absoluteString, target.path]
            let child = try ChildProcess(ChildProcess.probe, arguments, in: outputs)
            pid.withLock { $0 = child.processIdentifier }
            await child.end()
            if FileManager.default.fileExists(atPath: target.path) { break }
        }
        host.settings.withLock { $0.onGiven = nil }
        _ = try await segments().process()
        try expectWhole()
    }
}

@Suite("Dividing a file for several requests", .paced)
struct SegmentPlanTests {
    @Test("the longest remainders are divided until there is one for each request, none below the minimum")
    func split() {
        var plan = SegmentPlan(total: 1000)
        plan.split(into: 4, least: 100)
        #expect(plan.segments.map(\.rest) == [0..<250, 250..<500, 500..<750, 750..<1000])
        plan.split(into: 100, least: 100)
        #expect(plan.segments.allSatisfy { $0.rest.count >= 100 } && plan.isSound && plan.total == 1000)
        var short = SegmentPlan(total: 199)
        short.split(into: 4, least: 100)
        #expect(short.segments.count == 1)
    }

    @Test("existing content is not requested, and is not divided")
    func held() {
        var plan = SegmentPlan(total: 1000, held: 600, synced: 300)
        plan.split(into: 2, least: 100)
        #expect(plan.segments.map(\.rest) == [600..<800, 800..<1000])
        #expect(plan.done == 600 && plan.unsynced == 300 && plan.open == [0, 1])
        #expect(plan.onDisk().segments.map(\.rest) == [300..<800, 800..<1000])
        for index in plan.open { plan.wrote(200, in: index) }
        #expect(plan.open.isEmpty && plan.done == 1000)
        plan.synced()
        #expect(plan.unsynced == 0)
    }

    @Test("however it is divided and written, the segments cover the file once")
    func random() {
        var random = SplitMix64(seed: 9)
        for _ in 0..<300 {
            let total = Int.random(in: 0...5000, using: &random)
            var plan = SegmentPlan(total: total, held: Int.random(in: 0...6000, using: &random))
            while !plan.open.isEmpty {
                plan.split(into: Int.random(in: 1...9, using: &random), least: Int.random(in: 1...300, using: &random))
                #expect(plan.isSound && plan.total == total)
                guard let index = plan.open.randomElement(using: &random) else { break }
                plan.wrote(Int.random(in: 1...plan.segments[index].rest.count, using: &random), in: index)
            }
            #expect(plan.isSound && plan.done == total)
        }
    }
}
