import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitStreams
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@Suite("Downloads with several concurrent requests", .timeLimit(.minutes(10)), .paced)
final class SegmentTests {
    /// Beside the test bundle.
    private static let program =
        (Bundle.allBundles.map { $0.bundleURL } + [URL(fileURLWithPath: CommandLine.arguments[0])])
        .map { $0.deletingLastPathComponent().appendingPathComponent("ResumeProbe") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    private static let content = FileHost.content(9 << 20)

    private let folder: URL
    private let host: SegmentHost

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "segments-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        host = try SegmentHost(Self.content)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var target: URL { folder.appending(path: "file") }

    private func download(segments: Int = 4, verify: DownloadCheck = .size) async throws -> Download {
        try await UrlChainsBuilder<URL>().route(.get, host.url).download(to: target, segments: segments, verify: verify)
            .process()
    }

    private func expectWhole() throws {
        #expect(try Data(contentsOf: target) == Data(host.settings.withLock { $0.content }))
        #expect(!FileManager.default.fileExists(atPath: target.path + ".part"))
        #expect(!FileManager.default.fileExists(atPath: target.path + ".part.json"))
    }

    @Test("the first request learns the size, the rest comes in segments, and nothing is requested twice")
    func stretches() async throws {
        let done = try await download()
        #expect(done.size == Self.content.count && done.reused == 0)
        try expectWhole()
        #expect(host.server.requests.count == 5)
        let asked = host.asked.sorted { $0.lowerBound < $1.lowerBound }
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
        _ = try await download()
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
        _ = try await download()
        try expectWhole()
        host.settings.withLock { settings in
            settings.onRequest = { number, settings in settings.tag = "\"n\(number)\"" }
        }
        let error = await #expect(throws: NetworkError.self) { try await download() }
        #expect((error?.cause as? DownloadError)?.code == .changedAgain)
    }

    @Test("a failed request ends the others, and what they have loaded is used by the next call")
    func failure() async throws {
        host.settings.withLock { $0.onRequest = { number, settings in settings.status = number == 4 ? 503 : nil } }
        let error = await #expect(throws: NetworkError.self) { try await download() }
        #expect(error?.status == 503)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        host.settings.withLock { $0.onRequest = nil }
        let done = try await download()
        #expect(done.reused >= 1 << 20)
        try expectWhole()
    }

    @Test("what one request has begun several continue, and what several have begun one loads again")
    func mixed() async throws {
        host.settings.withLock { $0.breaks = 3 << 20 }
        let builder = UrlChainsBuilder<URL>().route(.get, host.url)
        await #expect(throws: NetworkError.self) {
            try await builder.download(to: target, resume: .automatic).process()
        }
        host.settings.withLock { $0.breaks = nil }
        #expect(try await download().reused == 3 << 20)
        try expectWhole()
        try FileManager.default.removeItem(at: target)
        host.settings.withLock { $0.breaks = 600_000 }
        await #expect(throws: NetworkError.self) { try await download() }
        host.settings.withLock { $0.breaks = nil }
        #expect(try await builder.download(to: target, resume: .automatic).process().reused == 0)
        try expectWhole()
    }

    @Test("bytes that do not match a digest are loaded once more, then an error")
    func digest() async throws {
        let right = Hex.encode(SHA256.digest(Self.content))
        _ = try await download(verify: .sha256(right))
        try expectWhole()
        let wrong = Hex.encode(SHA256.digest([1]))
        let error = await #expect(throws: NetworkError.self) { try await download(verify: .sha256(wrong)) }
        #expect((error?.cause as? DownloadError)?.code == .digestMismatch)
    }

    @Test("a process killed at any time leaves what the next one continues", .enabled(if: program != nil))
    func kills() async throws {
        var random = SplitMix64(seed: UInt64.random(in: .min ... .max))
        let program = try #require(Self.program)
        for _ in 0..<12 {
            // By what the server has given, not by time: it kills whoever asks.
            let limit = Int.random(in: 1...Self.content.count, using: &random)
            let process = Process()
            process.executableURL = program
            process.arguments = ["segments", "4", host.url.absoluteString, target.path]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let (exit, continuation) = AsyncStream<Void>.makeStream()
            process.terminationHandler = { _ in continuation.finish() }
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
            try process.run()
            pid.withLock { $0 = process.processIdentifier }
            for await _ in exit {}
            if FileManager.default.fileExists(atPath: target.path) { break }
        }
        host.settings.withLock { $0.onGiven = nil }
        _ = try await download()
        try expectWhole()
    }
}

/// Serves one file by ranges with both ends, a piece after the other.
private final class SegmentHost: Sendable {
    struct Settings: Sendable {
        var content: [UInt8]
        var tag = "\"1\""
        var hasRanges = true
        var status: Int?
        /// Behind how many bytes a response breaks off.
        var breaks: Int?
        /// Called with the number of each request.
        var onRequest: (@Sendable (Int, inout Settings) -> Void)?
        /// Called with the bytes that were given so far.
        var onGiven: (@Sendable (Int) -> Void)?
        var given = 0
        var count = 0
    }

    let server: LoopbackServer
    let settings: Locked<Settings>
    var url: URL { server.url("/file") }

    /// The ranges that were asked for.
    var asked: [Range<Int>] { server.requests.compactMap { Self.range($0.headers["Range"]) } }

    init(_ content: [UInt8]) throws {
        settings = Locked(Settings(content: content))
        server = try LoopbackServer()
        let settings = settings
        server.on(.get, "/file") { request in
            let now = settings.withLock { settings in
                settings.count += 1
                let onRequest = settings.onRequest
                onRequest?(settings.count, &settings)
                return settings
            }
            return Self.response(to: request, now, settings)
        }
    }

    private static func range(_ text: String?) -> Range<Int>? {
        let ends = text?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) } ?? []
        return ends.count == 2 ? ends[0]..<ends[1] + 1 : nil
    }

    private static func response(
        to request: LoopbackRequest,
        _ now: Settings,
        _ settings: Locked<Settings>
    ) -> LoopbackResponse {
        if let status = now.status { return .status(status) }
        let total = now.content.count
        var (bytes, headers) = (now.content[...], Headers())
        headers["ETag"] = now.tag
        var status = 200
        let isMeant = request.headers["If-Range"].map { $0 == now.tag } ?? true
        if let text = request.headers["Range"], now.hasRanges, isMeant {
            let first = Int(text.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
            guard first < total else { return .status(416, headers: ["Content-Range": "bytes */\(total)"]) }
            bytes = now.content[first..<min(range(text)?.upperBound ?? total, total)]
            headers["Content-Range"] = "bytes \(bytes.startIndex)-\(bytes.endIndex - 1)/\(total)"
            status = 206
        }
        let (part, length) = (Array(bytes), bytes.count)
        let piece = 64 << 10
        var response = LoopbackResponse(
            status: status,
            headers: headers,
            body: .stream(length: length) { index in
                let start = index * piece
                guard start < part.count else { return nil }
                let data = Data(part[start..<min(start + piece, part.count)])
                let (given, onGiven) = settings.withLock { settings in
                    settings.given += data.count
                    return (settings.given, settings.onGiven)
                }
                onGiven?(given)
                return data
            }
        )
        if let breaks = now.breaks { response.faults = [.close(.inBody(breaks))] }
        return response
    }
}
