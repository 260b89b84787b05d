import CoreNetKitCache
import TestSupport

@Suite("What a cache must do", .timeLimit(.minutes(60)), .paced)
struct MustTests {
    private static let seeds = TestRounds.seeds(120, from: 1)

    @Test("no sequence of requests gets a response that RFC 9111 forbids", arguments: [true, false])
    func sequences(inMemory: Bool) async throws {
        var reused = 0
        // A sequence on disk takes a hundred times as long.
        let seeds = inMemory ? Self.seeds : Self.seeds.prefix(max(1, Self.seeds.count / 20))
        for seed in seeds {
            let folder = TestFolder()
            let storage: any CacheStorage =
                inMemory ? MemoryStorage(limit: 1 << 20) : DiskStorage(folder.path, limit: 1 << 20) { 0 }
            reused += try await play(UInt64(seed), storage)
        }
        // An oracle that sees nothing reused proves nothing.
        #expect(reused > seeds.count / 4)
    }

    /// Plays one sequence; returns how many of its responses came from the cache.
    private func play(_ seed: UInt64, _ storage: any CacheStorage) async throws -> Int {
        let time = TestMachine()
        let origin = OracleOrigin(seed: seed) { time.now.wallMilliseconds }
        let setting = Setting(storage: storage, time: time) { request, _ in try origin.respond(request) }
        var random = SplitMix64(seed: seed &* 0x9E37)
        var (log, reused) = (["seed \(seed)"], 0)
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            let chance = Int.random(in: 0..<10, using: &random)
            if chance == 0 { origin.change("/a") }
            if chance < 6 { time.advance([1, 5, 12, 40, 70, 300].randomElement(using: &random) ?? 1) }
            let request = request(&random)
            let mode = mode(&random)
            let before = origin.messages.count
            log.append(
                "at \(time.now.wallMilliseconds / 1000): \(request.method) \(request.url.path) \(request.headers)"
            )
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
                now: time.now.wallMilliseconds,
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

    private func request(_ random: inout SplitMix64) -> TransportRequest {
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
            let ranges = ["bytes=\(start)-\(end)", "bytes=\(start)-", "bytes=-\(start + 1)"]
            headers["Range"] = ranges.randomElement(using: &random)
        }
        if Int.random(in: 0..<16, using: &random) == 0 { headers["If-None-Match"] = "\"en1\"" }
        let methods: [HTTPMethod] = [.get, .get, .get, .get, .get, .get, .head, .post, .put, .delete]
        let method = methods.randomElement(using: &random) ?? .get
        return get(headers, page.sibling(path), method: method)
    }
}

/// One exchange with the server, as the server saw it.
struct OracleMessage: Sendable {
    let sent: TransportRequest
    let status: Int
    let headers: Headers
    /// Milliseconds.
    let time: Int64

    var method: HTTPMethod { sent.method }
    var path: String { sent.url.path }
    var request: Headers { sent.headers }
    /// The state and the resource that it describes.
    var entity: String? { headers["X-Entity"] }
}

/// A server whose resources change, and whose claims about them are random; each message has its number.
final class OracleOrigin: Sendable {
    private struct State {
        var random: SplitMix64
        var versions: [String: Int] = [:]
        /// How each resource is named: `ETag`, `Last-Modified`, `Vary`.
        var kinds: [String: (tag: Int, isDated: Bool, vary: String?)] = [:]
        var messages: [OracleMessage] = []
    }

    private let state: Locked<State>
    private let now: @Sendable () -> Int64

    init(seed: UInt64, now: @escaping @Sendable () -> Int64) {
        state = Locked(State(random: SplitMix64(seed: seed)))
        self.now = now
    }

    var messages: [OracleMessage] { state.withLock { $0.messages } }

    /// A resource changes without notice.
    func change(_ path: String) { state.withLock { $0.versions[path, default: 0] += 1 } }

    func respond(_ request: TransportRequest) throws -> TransportResponse {
        try state.withLock { state in
            let path = request.url.path
            let kind = Self.kind(of: path, &state)
            let (version, number) = (state.versions[path, default: 0], state.messages.count)
            let language = kind.vary == nil ? "" : request.headers["Accept-Language"] ?? "none"
            var headers = fields(&state)
            headers["X-Message"] = String(number)
            let isRead = request.method == .get || request.method == .head
            var (status, body) = isRead ? (200, "") : (204, "")
            let chance = Int.random(in: 0..<24, using: &state.random)
            if chance == 0 { throw TransportError(.connectionLost, phase: .wait, message: "the server is gone") }
            if chance == 1 { status = [500, 503].randomElement(using: &state.random) ?? 500 }
            if isRead, status == 200 {
                let entity = "\(path) \(language) \(version)"
                if kind.tag > 0 { headers["ETag"] = (kind.tag == 1 ? "" : "W/") + "\"\(language)\(version)\"" }
                if kind.isDated { headers["Last-Modified"] = Self.date(Int64(1_700_000_000 + version * 4000)) }
                if let vary = kind.vary { headers["Vary"] = vary }
                // A HEAD without a validator updates what it cannot tell from its own response (RFC 9111, 4.3.5).
                if request.method == .get || kind.tag > 0 || kind.isDated { headers["X-Entity"] = entity }
                (status, body) = Self.content(of: entity, request, &headers)
                if chance == 2, status == 200 { status = [404, 203, 410].randomElement(using: &state.random) ?? 404 }
                if request.method == .head { body = "" }
            } else if !isRead, status == 204 {
                state.versions[path, default: 0] += 1
                if chance == 3 { headers["Location"] = "/b" }
                if chance == 4 { headers["Content-Location"] = "http://shop.test/a" }
            }
            state.messages.append(OracleMessage(sent: request, status: status, headers: headers, time: now()))
            return TransportResponse(status: status, headers: headers, body: .bytes(Data(body.utf8)), url: request.url)
        }
    }

    private static func kind(of path: String, _ state: inout State) -> (tag: Int, isDated: Bool, vary: String?) {
        if let known = state.kinds[path] { return known }
        let made: (Int, Bool, String?) = (
            Int.random(in: 0..<3, using: &state.random), Bool.random(using: &state.random),
            [nil, nil, "Accept-Language", "accept-language, X-Other", "*"].randomElement(using: &state.random) ?? nil
        )
        state.kinds[path] = made
        return made
    }

    /// The bytes of a state: different ones at each place of each state.
    static func text(of entity: String) -> String {
        var random = SplitMix64(seed: entity.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        return String((0..<24).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random) ?? "a" })
    }

    private static func content(
        of entity: String,
        _ request: TransportRequest,
        _ headers: inout Headers
    ) -> (Int, String) {
        let text = text(of: entity)
        if let tags = request.headers["If-None-Match"] {
            let known = tags.split(separator: ",").map { $0.filter { $0 != " " }.replacing("W/", with: "") }
            if let tag = headers["ETag"], known.contains(tag.replacing("W/", with: "")) { return (304, "") }
        } else if let date = request.headers["If-Modified-Since"], date == headers["Last-Modified"] {
            return (304, "")
        }
        let condition = request.headers["If-Range"]
        guard request.method == .get, let range = request.headers["Range"]?.dropFirst(6),
            condition == nil || condition == headers["ETag"] && condition?.hasPrefix("W/") == false
        else { return (200, text) }
        let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let (first, last) = (ends.first ?? nil, ends.last ?? nil)
        let start = first ?? max(0, 24 - (last ?? 24))
        let end = first == nil ? 23 : min(23, last ?? 23)
        guard start <= end else { return (200, text) }
        headers["Content-Range"] = "bytes \(start)-\(end)/24"
        return (206, String(text.dropFirst(start).prefix(end - start + 1)))
    }

    static func date(_ seconds: Int64) -> String { HTTPDate.format(Date(timeIntervalSince1970: Double(seconds))) }

    /// What the server says about storing it.
    private func fields(_ state: inout State) -> Headers {
        var headers = Headers()
        let seconds = now() / 1000
        let controls = [
            nil, "max-age=60", "max-age=60", "max-age=10", "max-age=0", "no-store", "no-cache", "max-age=60, no-cache",
            "max-age=10, must-revalidate", "max-age=10, stale-while-revalidate=30", "max-age=10, stale-if-error=60",
            "public", "private, max-age=60", "must-understand, no-store, max-age=60", "max-age=60, no-store",
            "MAX-AGE=60", "max-age=\"60\"", "no-cache=\"X-Other\", max-age=60", "ext=\"max-age=99\", max-age=5",
            "max-age=10, immutable", "s-maxage=0, max-age=60",
        ]
        if let control = controls.randomElement(using: &state.random) ?? nil { headers["Cache-Control"] = control }
        let expiries = [nil, nil, nil, "0", "never", Self.date(seconds + 30), Self.date(seconds - 30)]
        if let expires = expiries.randomElement(using: &state.random) ?? nil { headers["Expires"] = expires }
        headers["Date"] = Self.date(seconds)
        if Int.random(in: 0..<8, using: &state.random) == 0 { headers["Age"] = "7" }
        if Int.random(in: 0..<4, using: &state.random) == 0 {
            headers["Connection"] = "close, X-Hop"
            headers["X-Hop"] = "1"
            headers["Keep-Alive"] = "timeout=5"
        }
        return headers
    }
}
