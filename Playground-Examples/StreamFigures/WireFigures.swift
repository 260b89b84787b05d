import CoreNetKit
import CoreNetKitStreams
import Foundation

/// The cost of streams, pages and downloads over a socket on this machine.
struct WireFigures {
    struct Token: Decodable, Sendable { let token: String }
    struct Page: Decodable, Sendable {
        let items: [Int]
        let next: String?
    }

    static let pages = 2_000
    static let events = 1_000_000
    private let server: WireServer.Child
    private let client = Client()
    private let file = FileManager.default.temporaryDirectory.appending(
        path: "figures-\(UInt32.random(in: 0 ... .max))"
    )

    init() throws { server = try WireServer.Child() }

    private func get(_ path: String) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: client).route(.get, "\(server.address)\(path)")
    }

    func run() async throws {
        try await best("events as they are", "events", Self.events) {
            var count = 0
            for try await _ in try await get("/events").events().reconnect(.never).process() { count += 1 }
            return count
        }
        try await best("events as models", "events", Self.events) {
            let chain: Chain<Void, EventStream<Token>> = get("/events").events(reading: .json).reconnect(.never)
            var count = 0
            for try await _ in try await chain.process() { count += 1 }
            return count
        }
        try await best("lines as they are", "lines", Self.events) {
            let chain: Chain<Void, ElementStream<Token>> = get("/tokens").lines(reading: .json)
            var count = 0
            for try await _ in try await chain.process().raw { count += 1 }
            return count
        }
        try await best("lines as models", "lines", Self.events) {
            let chain: Chain<Void, ElementStream<Token>> = get("/tokens").lines(reading: .json)
            var count = 0
            for try await _ in try await chain.process() { count += 1 }
            return count
        }
        try await best("pages", "pages", Self.pages) {
            let list: Pages<Page> = get("/pages").pages(.cursor(\.next, as: "cursor"), reading: .json)
            return try await list.reduce(into: 0) { count, _ in count += 1 }
        }
        try await best("pages by hand", "pages", Self.pages) {
            var (count, cursor) = (0, String?.some("1"))
            while let here = cursor {
                let chain: Chain<Void, Page> = get("/pages?cursor=\(here)").build()
                cursor = try await chain.process().next
                count += 1
            }
            return count
        }
        try await downloads()
        try await slowReader()
        server.end()
    }

    private func downloads() async throws {
        let size = 64 << 20
        try await best("a file, plain", "MB", size >> 20) {
            _ = try await get("/file").download(to: file).process() as Response<URL>
            try FileManager.default.removeItem(at: file)
            return size >> 20
        }
        try await best("a file that could resume", "MB", size >> 20) {
            let done = try await get("/file").download(to: file, resume: .automatic).process()
            try FileManager.default.removeItem(at: file)
            return done.size >> 20
        }
        try await best("a file that breaks in the middle and resumes", "MB", size >> 20) {
            let download = get("/file?breaks=1").download(to: file, resume: .automatic)
            do { _ = try await download.process() } catch is NetworkError {}
            let done = try await download.process()
            try FileManager.default.removeItem(at: file)
            return done.size >> 20
        }
    }

    /// A server that sends as fast as it can, and a reader that takes a thousand elements per second.
    private func slowReader() async throws {
        let before = Bytes.resident
        let chain: Chain<Void, ElementStream<Token>> = get("/lines").lines(reading: .json)
        var count = 0
        for try await _ in try await chain.process() {
            count += 1
            if count == 3_000 { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        print("a slow reader of lines, \(count) elements: resident before \(before) kB, behind \(Bytes.resident) kB")
    }

    private func best(_ name: String, _ unit: String, _ expected: Int, _ body: () async throws -> Int) async throws {
        var times: [Duration] = []
        var processor: [Duration] = []
        for _ in 0..<3 {
            let (start, used) = (ContinuousClock.now, Bytes.processorTime)
            let count = try await body()
            times.append(ContinuousClock.now - start)
            processor.append(Bytes.processorTime - used)
            if count != expected { return print("\(name): \(count) of \(expected)") }
        }
        func rate(_ times: [Duration]) -> Int { Int(Double(expected) / ((times.min() ?? .seconds(1)) / .seconds(1))) }
        print("\(name): \(rate(times)) \(unit) a second, \(rate(processor)) a second of processor time")
    }
}
