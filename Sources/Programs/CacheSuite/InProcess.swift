import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

import CoreNetKitEssentials

/// A clock that stands still until it is moved.
final class SuiteClock: Sendable {
    private let milliseconds: Locked<Int64>

    init(_ start: Int64) { milliseconds = Locked(start) }

    var now: Int64 { milliseconds.withLock { $0 } }
    func advance(_ time: Int64) { milliseconds.withLock { $0 += time } }
    var time: CacheTime { CacheTime(wall: now, steady: now, run: 1) }
}

/// The origin as a transport: no sockets, one clock.
struct SuiteTransport: Transport {
    let origin: SuiteOrigin
    let clock: SuiteClock

    var capabilities: TransportCapabilities { [] }

    func clientIdentity(for url: URL) -> String? { "" }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if let pause = origin.step(of: request.headers)?.1.json["response_pause"]?.int64 { clock.advance(pause * 1000) }
        let target = request.url.path + (request.url.query.map { "?\($0)" } ?? "")
        let reply = origin.reply(
            method: request.method.rawValue,
            target: target,
            request: request.headers,
            now: clock.now
        )
        if reply.isDisconnected {
            throw TransportError(.connectionLost, phase: .wait, message: "the origin closed the connection")
        }
        var body = Data(reply.body.utf8)
        // As on a wire: bytes after the declared length are not read.
        if let length = reply.headers["Content-Length"].flatMap({ Int($0) }) { body = body.prefix(length) }
        return TransportResponse(
            status: reply.status,
            headers: reply.headers,
            body: .bytes(Data(body)),
            url: request.url
        )
    }
}

/// Runs every test on a clock of its own.
struct InProcess: Sendable {
    /// One for all tests: each test has its own URLs.
    let storage: any CacheStorage

    func results(_ suites: [Suite]) async -> [String: SuiteResult] {
        var results: [String: SuiteResult] = [:]
        for (number, test) in suites.flatMap(\.cases).enumerated() {
            results[test.id] = await result(of: test, number)
        }
        return results
    }

    private func result(of test: SuiteCase, _ number: Int) async -> SuiteResult {
        let id = "00000000-0000-4000-8000-\(String(repeating: "0", count: 12 - String(number).count))\(number)"
        let origin = SuiteOrigin(test, id: id)
        let clock = SuiteClock(1_800_000_000_000)
        let engine = CacheEngine(storage: storage) { clock.time }
        let refreshes = BackgroundRefreshes()
        let run = SuiteRun(test: test, id: id, base: "http://origin.test", origin: origin) { request, isRevalidation in
            let mode = isRevalidation ? CacheMode.revalidate : .standard
            let cache = CachingTransport(
                SuiteTransport(origin: origin, clock: clock),
                engine,
                scope: CacheScope(mode: mode.staleIfError(for: .seconds(3600))),
                refreshes: refreshes
            )
            let response = try await cache.send(request)
            await refreshes.idle()
            return response
        } pause: {
            clock.advance(3000)
        }
        return await run.result()
    }
}
