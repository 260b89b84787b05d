import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitObservability
import CoreNetKitOutbox
import CoreNetKitStreams
import CoreNetKitURLSession
import PushRegistration
import TestSupport

/// Where files are made that belong to a user.
enum OwnFilePlace: String, CaseIterable, Sendable {
    case cache, cookies, outbox, download, urlSession, mock, part, resumed, segmented, tape, har, page, store

    /// What others may have put there before, in the order in which it is made.
    var names: [String] {
        switch self {
        case .cache: ["box", "box/v2/lock", "box/v2/counters"]
        case .cookies: ["jar", ".jar.lock", ".jar.next"]
        case .outbox: ["box", "box/lock", "box/journal-0000000000000001.log"]
        case .download, .urlSession, .mock: ["file"]
        case .part: ["file.part", "file.part.json", ".file.part.json.draft"]
        case .resumed, .segmented: ["file", "file.part", "file.part.json", ".file.part.json.draft"]
        case .tape: ["tape.har", "tape.bodies"]
        case .har, .page: ["file"]
        case .store: ["store", "store.lock", "store.new", "store.twin", "store.twin.new"]
        }
    }

    var folders: Set<String> { ["box", "tape.bodies"] }

    var drafts: Set<String> { [".jar.next", ".file.part.json.draft", "store.new", "store.twin.new"] }

    /// Whether what cannot be written is an error; a cache that stores nothing is none.
    var isStrict: Bool { self != .cache }
}

/// A folder, and all who write to it.
final class OwnFileWorld: Sendable {
    private let base: URL
    private let folder: URL
    /// What nothing may be written to.
    let outside: URL
    private let rounds = Locked(0)

    init() throws {
        base = FileManager.default.temporaryDirectory.appending(path: "own-\(UUID().uuidString)")
        (folder, outside) = (base.appending(path: "mine"), base.appending(path: "outside"))
        for folder in [base, folder, outside] { try PosixFiles().makeFolder(folder.path) }
    }

    deinit { try? FileManager.default.removeItem(at: base) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// All that is there.
    var paths: [String] { get throws { try FileManager.default.subpathsOfDirectory(atPath: folder.path) } }

    func makeFolders(above name: String) throws {
        var place = ""
        for part in name.split(separator: "/").dropLast() {
            place += "/\(part)"
            try PosixFiles().makeFolder(folder.path + place)
        }
    }

    func plant(_ name: String, isFolder: Bool = false) throws {
        try makeFolders(above: name)
        if isFolder { return try PosixFiles().makeFolder(path(name)) }
        try Data("planted".utf8).write(to: folder.appending(path: name))
    }

    func expectOwn(_ name: String) throws {
        let status = try #require(try PosixFiles().status(of: path(name)))
        #expect(status.kind == .file || status.kind == .folder, "\(name)")
        #expect(status.permissions == (status.kind == .folder ? 0o700 : 0o600), "\(name)")
    }

    private static let long = String(repeating: "long ", count: 40_000)

    private static let page = URL(string: "http://shop.test/file") ?? URL(filePath: "/")

    private func get(_ transport: any Transport, _ url: URL = page) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder(client: Client(transport: transport)).route(.get, url)
    }

    /// Writes all that there is to write, something else each time.
    func write(_ place: OwnFilePlace) async throws {
        let round = rounds.next()
        let url = try #require(URL(string: "http://shop.test/\(round)"))
        let mock = MockTransport {
            $0.on(nil, "/**", MockResponse.text(Self.long).header("Cache-Control", "max-age=600"))
        }
        let file = folder.appending(path: "file")
        switch place {
        case .cache:
            let cache = ResponseCache(disk: .folder(folder.appending(path: "box"), limit: .mebibytes(8)))
            let client = Client(transport: mock).cache(cache)
            for method in [HTTPMethod.get, .post] { try await client.text(url.absoluteString, by: method) }
            await cache.flush()
        case .cookies:
            let jar = CookieJar()
            jar.take(["a=\(round); Max-Age=600"], from: url)
            try CookieFile(at: folder.appending(path: "jar")).store(jar)
        case .outbox:
            let outbox = try Outbox(at: folder.appending(path: "box"))
            try await outbox.enqueue(OutboxRequest(method: .post, url: url, body: .bytes(Data(Self.long.utf8))))
        case .download, .urlSession:
            let server = try LoopbackServer { _ in .text(Self.long) }
            let transport: any Transport = place == .download ? Client().transport : URLSessionTransport()
            _ = try await get(transport, server.url("/")).download(to: file).process() as Response<URL>
        case .mock: _ = try await get(mock, url).download(to: file).process() as Response<URL>
        case .part: try await breakOff(file)
        case .resumed, .segmented:
            try await breakOff(file)
            let whole = MockTransport { $0.on(.get, "/file", MockResponse.text(Self.long).header("ETag", "\"1\"")) }
            _ =
                try await get(whole).download(to: file, segments: place == .resumed ? 1 : 2).process()
                as Download
        case .tape:
            let tape = try Cassette(folder.appending(path: "tape.har"), mode: .rewrite, live: mock)
            _ = try await tape.send(TransportRequest(url: url))
        case .har, .page:
            let recorder = CallRecorder(keepsBodies: true)
            try await Client(transport: mock).record(in: recorder).text(url.absoluteString)
            if place == .har { try recorder.writeHAR(to: file) } else { try recorder.writeHTML(to: file) }
        case .store: try FileStore(file: folder.appending(path: "store")).set("\(round)", for: "a")
        }
    }

    /// Begins a download that leaves a part.
    private func breakOff(_ file: URL) async throws {
        let begin = MockResponse.chunks(String(Self.long.prefix(100_000))).header("ETag", "\"1\"")
            .header("Content-Length", "200000").thenFailing(.connectionLost)
        let broken = MockTransport { $0.on(.get, "/file", begin) }
        do {
            _ = try await get(broken).download(to: file, resume: .automatic).process() as Download
        } catch let error as NetworkError where error.code == .connectionLost {}
    }
}
