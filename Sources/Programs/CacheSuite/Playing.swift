import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitLoopback
import CoreNetKitSystem

/// The origin as a transport: no sockets, one clock.
struct SuiteTransport: Transport {
    let origin: SuiteOrigin
    /// Milliseconds since 1970, which stand still until they are moved.
    let clock: Locked<Int64>

    var capabilities: TransportCapabilities { [] }

    func clientIdentity(for url: URL) -> String? { "" }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if let pause = origin.step(of: request.headers)?.1.json["response_pause"]?.int64 {
            clock.withLock { $0 += pause * 1000 }
        }
        let target = request.url.path + (request.url.query.map { "?\($0)" } ?? "")
        let (method, headers, now) = (request.method.rawValue, request.headers, clock.withLock { $0 })
        let reply = origin.reply(method: method, target: target, request: headers, now: now)
        if reply.isDisconnected {
            throw TransportError(.connectionLost, phase: .wait, message: "the origin closed the connection")
        }
        var body = Data(reply.body.utf8)
        // As on a wire: bytes after the declared length are not read.
        if let length = reply.headers["Content-Length"].flatMap({ Int($0) }) { body = body.prefix(length) }
        let content = ResponseBody.bytes(Data(body))
        return TransportResponse(status: reply.status, headers: reply.headers, body: content, url: request.url)
    }
}

extension CacheSuite {
    /// Runs every test on a clock of its own, and all on one storage: each test has its own URLs.
    static func playInProcess(_ suites: [Suite], _ storage: any CacheStorage) async -> [String: SuiteResult] {
        var results: [String: SuiteResult] = [:]
        for (number, test) in suites.flatMap(\.cases).enumerated() {
            results[test.id] = await result(of: test, number, storage)
        }
        return results
    }

    static func id(_ number: Int) -> String {
        "00000000-0000-4000-8000-\(String(1_000_000_000_000 + number).dropFirst())"
    }

    private static func result(of test: SuiteCase, _ number: Int, _ storage: any CacheStorage) async -> SuiteResult {
        let id = id(number)
        let origin = SuiteOrigin(test, id: id)
        let clock = Locked<Int64>(1_800_000_000_000)
        let engine = CacheEngine(storage: storage) {
            let now = clock.withLock { $0 }
            return CacheTime(wallMilliseconds: now, monotonicMilliseconds: now, bootID: 1)
        }
        let refreshes = BackgroundRefreshes()
        let run = SuiteRun(test: test, id: id, base: "http://origin.test", origin: origin) { request, isRevalidation in
            let mode = isRevalidation ? CacheMode.revalidate : .standard
            let scope = CacheScope(mode: mode.staleIfError(for: .seconds(3600)))
            let transport = SuiteTransport(origin: origin, clock: clock)
            let response = try await engine.send(request, over: transport, scope: scope, refreshes: refreshes)
            await refreshes.idle()
            return response
        } pause: {
            clock.withLock { $0 += 3000 }
        }
        return await run.result()
    }

    /// Tests with an unrequested transfer coding: such a response is refused (RFC 9112, 6.1).
    static let refusedOverSockets: Set<String> = ["headers-store-Transfer-Encoding"]

    /// Runs every test over sockets, all concurrently, in real time: the whole chain with the platform's transport.
    ///
    /// Each test has a cache of its own, so that the marks of one test do not cause validations in another one.
    static func playOverSockets(
        _ suites: [Suite],
        _ cache: (_ name: String) -> ResponseCache
    ) async throws -> [String: SuiteResult] {
        let origins = Locked<[String: SuiteOrigin]>([:])
        let server = try LoopbackServer { request async throws -> LoopbackResponse in
            let id = request.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            guard let origin = origins.withLock({ $0[id] }) else { return .status(404) }
            return try await Self.reply(origin, request)
        }
        defer { server.stop() }
        let base = "http://127.0.0.1:\(server.port)"
        var results: [String: SuiteResult] = [:]
        await withTaskGroup(of: (String, SuiteResult).self) { group in
            for (number, test) in suites.flatMap(\.cases).enumerated() {
                let id = id(number)
                let origin = SuiteOrigin(test, id: id)
                origins.withLock { $0[id] = origin }
                let client = Client().without(.status).set(redirectLimit: 0)
                    .cache(cache(id), .staleIfError(for: .seconds(3600)))
                group.addTask {
                    let run = SuiteRun(test: test, id: id, base: base, origin: origin) { request, isRevalidation in
                        try await Self.send(request, client, isRevalidation: isRevalidation)
                    } pause: {
                        try await Task.sleep(for: .seconds(3))
                    }
                    return (test.id, await run.result())
                }
            }
            for await (id, result) in group { results[id] = result }
        }
        return results
    }

    /// Performs a request; throws the error of the wire if it fails.
    private static func send(
        _ request: TransportRequest,
        _ client: Client,
        isRevalidation: Bool
    ) async throws -> TransportResponse {
        var request = request
        // Invented codings are passed on unchanged.
        request.coding = .identity
        let client = isRevalidation ? client.cache(.revalidate) : client
        do {
            return try await client.configuration.exchange.process(request, context: RequestContext())
        } catch let failure as NetworkError {
            throw (failure.cause as? TransportError) ?? failure
        }
    }

    private static func reply(_ origin: SuiteOrigin, _ request: LoopbackRequest) async throws -> LoopbackResponse {
        if let pause = origin.step(of: request.headers)?.1.json["response_pause"]?.int64 {
            try await Task.sleep(for: .seconds(pause))
        }
        let (method, now) = (request.method.rawValue, Date().milliseconds)
        let reply = origin.reply(method: method, target: request.target, request: request.headers, now: now)
        if reply.isDisconnected { return .fault(.close(.beforeStatus)) }
        var text = "HTTP/1.1 \(reply.status) Played\r\n"
        for field in reply.headers { text += "\(field.name): \(field.value)\r\n" }
        let hasNoBody = reply.status == 204 || reply.status == 304 || request.method == .head
        if !hasNoBody, !reply.headers.contains("Content-Length"), !reply.headers.contains("Transfer-Encoding") {
            text += "Content-Length: \(reply.body.utf8.count)\r\n"
        }
        return .raw(text + "\r\n" + reply.body)
    }
}
