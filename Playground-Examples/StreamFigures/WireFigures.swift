import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitStreams
import Foundation

/// The cost of streams, pages and downloads over a socket on this machine.
struct WireFigures {
    struct Token: Decodable, Sendable { let token: String }
    struct Page: Decodable, Sendable {
        let items: [Int]
        let next: String?
    }

    private static let pages = 2_000
    private let server: LoopbackServer
    private let client = Client()
    private let file = FileManager.default.temporaryDirectory.appending(
        path: "figures-\(UInt32.random(in: 0 ... .max))"
    )

    init() throws {
        server = try LoopbackServer(recording: .off)
        let event = "event: token\ndata: {\"token\":\"\(String(repeating: "x", count: 20))\"}\n\n"
        let chunk = Data(String(repeating: event, count: 250).utf8)
        server.on(.get, "/events") { _ in
            LoopbackResponse(
                headers: ["Content-Type": "text/event-stream"],
                body: .stream(length: nil) { $0 < 800 ? chunk : nil }
            )
        }
        let line = Data(String(repeating: "{\"token\":\"\(String(repeating: "x", count: 1_000))\"}\n", count: 60).utf8)
        server.on(.get, "/lines") { _ in
            LoopbackResponse(headers: ["Content-Type": "application/jsonl"], body: .stream(length: nil) { _ in line })
        }
        server.on(.get, "/pages") { request in
            let number = request.query("cursor").flatMap(Int.init) ?? 1
            let next = number < Self.pages ? ",\"next\":\"\(number + 1)\"" : ""
            return .json("{\"items\":[1,2,3,4,5,6,7,8,9,10]\(next)}")
        }
        let content = Data((0..<64 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        server.on(.get, "/file") { request in
            var response = LoopbackResponse.data(content).header("ETag", "\"1\"")
            guard let start = request.headers["Range"].flatMap({ Int($0.dropFirst(6).prefix { $0 != "-" }) }) else {
                return request.query("breaks") == nil ? response : response.fault(.close(.inBody(content.count / 2)))
            }
            response.status = 206
            response.body = .data(Data(content[start...]))
            return response.header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
        }
    }

    private func get(_ path: String) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>(client: client).route(.get, server.url(path))
    }

    func run() async throws {
        try await best("events as they are", "events", 200_000) {
            var count = 0
            for try await _ in try await get("/events").rawEvents().reconnect(.never).process() { count += 1 }
            return count
        }
        try await best("events as models", "events", 200_000) {
            let chain: Chain<Void, EventStream<Token>> = get("/events").events().reconnect(.never)
            var count = 0
            for try await _ in try await chain.process() { count += 1 }
            return count
        }
        try await best("pages", "pages", Self.pages) {
            let list: Pages<Page> = get("/pages").pages(.cursor(\.next, as: "cursor"))
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
        server.stop()
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
        let chain: Chain<Void, ElementStream<Token>> = get("/lines").lines()
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
        for _ in 0..<3 {
            let start = ContinuousClock.now
            let count = try await body()
            times.append(ContinuousClock.now - start)
            if count != expected { return print("\(name): \(count) of \(expected)") }
        }
        let rate = Double(expected) / ((times.min() ?? .seconds(1)) / .seconds(1))
        print("\(name): \(Int(rate)) \(unit) a second")
    }
}
