import CoreNetKitCache
import FileModel
import TestSupport

/// A server without a wire: responds with a closure, and records its requests.
final class Origin: Transport {
    typealias Handler = @Sendable (TransportRequest, Int) async throws -> TransportResponse

    private let state = Locked<[TransportRequest]>([])
    private let handler: Locked<Handler>

    init(_ handler: @escaping Handler) { self.handler = Locked(handler) }

    /// Responds with the same fields each time, and with the number of the request; one of them may have to wait.
    static func numbered(_ headers: Headers, _ stop: Stop? = nil, at stopped: Int = 1) -> Handler {
        { _, number in
            if number == stopped { await stop?.pass() }
            return reply(200, headers, "\(number)")
        }
    }

    static let down: Handler = { _, _ in
        throw TransportError(.cannotConnect, phase: .connect, message: "the network is down")
    }

    /// The same, with 304 to a condition.
    static func confirming(_ headers: Headers, _ body: String? = nil) -> Handler {
        { request, number in
            request.headers.contains("If-None-Match")
                ? reply(304, headers, "") : reply(200, headers, body ?? "\(number)")
        }
    }

    var capabilities: TransportCapabilities { [.streamingDownload] }
    var requests: [TransportRequest] { state.withLock { $0 } }
    var count: Int { requests.count }

    func respond(_ handler: @escaping Handler) { self.handler.withLock { $0 = handler } }

    func clientIdentity(for url: URL) -> String? { "" }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let number = state.withLock { requests in
            requests.append(request)
            return requests.count
        }
        var response = try await handler.value(request, number)
        response.url = request.url
        return response
    }
}

/// A server's response, in short form.
func reply(_ status: Int = 200, _ headers: Headers = [:], _ body: String = "body") -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: .bytes(Data(body.utf8)), url: page)
}

let page = URL(string: "http://shop.test/page") ?? URL(filePath: "/")

/// The fields of a response that is fresh for a minute, and those of one that can also be confirmed.
let fresh = control("max-age=60")
let tagged = control("max-age=60", ["ETag": "\"a\""])

func control(_ text: String, _ more: Headers = [:]) -> Headers {
    var headers: Headers = ["Cache-Control": text]
    headers.merge(more)
    return headers
}

func get(
    _ headers: Headers = [:],
    _ url: URL = page,
    method: HTTPMethod = .get,
    delivery: ResponseDelivery = .collect
) -> TransportRequest {
    var request = TransportRequest(method: method, url: url, headers: headers)
    request.delivery = delivery
    return request
}

/// A disk without a clock, in the model of a file system.
func disk(_ files: ModelFiles = ModelFiles(), at path: String = "/cache") -> DiskStorage {
    DiskStorage(path, limit: 8 << 20, files: files) { 0 }
}

extension TestMachine {
    var now: CacheTime { CacheTime(moment) }
    var date: Date { Date(timeIntervalSince1970: Double(now.wallMilliseconds) / 1000) }
    var clock: CallClock { CallClock(TestClock(time: self)) }
}

struct TestClock: Clock {
    typealias Instant = ManualClock.Instant

    let time: TestMachine
    var now: Instant { Instant(offset: .milliseconds(time.now.monotonicMilliseconds)) }
    var minimumResolution: Duration { .milliseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        // Nothing advances it: sleepers are not woken.
        // Real time: there is no end to wait for, only the cancellation.
        if deadline.offset - now.offset >= .milliseconds(1) { try await Task.sleep(for: .seconds(3600)) }
    }
}

/// Both halves of a cache around an origin, in memory.
struct Setting: Sendable {
    let time: TestMachine
    let origin: Origin
    let engine: CacheEngine
    let refreshes = BackgroundRefreshes()
    private let outcomes = Locked<[CacheOutcome]>([])

    init(
        storage: any CacheStorage = MemoryStorage(limit: 1 << 20),
        time: TestMachine = TestMachine(),
        _ handler: @escaping Origin.Handler
    ) {
        self.time = time
        origin = Origin(handler)
        engine = CacheEngine(storage: storage, clock: time.clock) { [time] in time.now }
    }

    /// An origin that always sends the same response.
    init(_ headers: Headers, status: Int = 200, body: String = "body") {
        self.init { _, _ in reply(status, headers, body) }
    }

    var outcome: CacheOutcome? { outcomes.withLock { $0.last } }

    @discardableResult
    func send(
        _ request: TransportRequest = get(),
        mode: CacheMode = .standard,
        partition: String = ""
    ) async throws -> TransportResponse {
        let scope = CacheScope(partition: partition, mode: mode)
        return try await engine.send(request, over: origin, scope: scope, refreshes: refreshes) { outcome in
            outcomes.withLock { $0.append(outcome) }
        }
    }

    func text(
        _ request: TransportRequest = get(),
        mode: CacheMode = .standard,
        partition: String = ""
    ) async throws -> String {
        let response = try await send(request, mode: mode, partition: partition)
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }
}
