import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitLoopback
import CoreNetKitSystem

import CoreNetKitEssentials

/// Runs every test over sockets, all concurrently, in real time: the whole chain with the platform's transport.
struct OverSockets: Sendable {
    /// Tests with an unrequested transfer coding: such a response is refused (RFC 9112, 6.1).
    static let refused: Set<String> = ["headers-store-Transfer-Encoding"]

    /// The cache of a test.
    ///
    /// In a shared one, the marks of one test would reach another test's URLs that share a counter, which causes a validation
    /// and looks like a failure.
    let cache: @Sendable (_ name: String) -> ResponseCache

    func results(_ suites: [Suite]) async throws -> [String: SuiteResult] {
        let origins = Locked<[String: SuiteOrigin]>([:])
        let server = try LoopbackServer { request async throws -> LoopbackResponse in
            let id = request.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            guard let origin = origins.withLock({ $0[id] }) else { return .status(404) }
            return try await Self.reply(origin, request)
        }
        defer { server.stop() }
        let cases = suites.flatMap(\.cases)
        var results: [String: SuiteResult] = [:]
        await withTaskGroup(of: (String, SuiteResult).self) { group in
            for (number, test) in cases.enumerated() {
                let digits = String(number)
                let id = "00000000-0000-4000-8000-\(String(repeating: "0", count: 12 - digits.count))\(digits)"
                let origin = SuiteOrigin(test, id: id)
                origins.withLock { $0[id] = origin }
                let base = server.url.absoluteString
                let client = client(id)
                group.addTask {
                    let run = SuiteRun(
                        test: test,
                        id: id,
                        base: base.hasSuffix("/") ? String(base.dropLast()) : base,
                        origin: origin
                    ) { request, isRevalidation in
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

    /// The client of a test.
    func client(_ name: String) -> Client {
        Client().without(.status).set(redirectLimit: 0).cache(with: cache(name), .staleIfError(for: .seconds(3600)))
    }

    /// Performs a request; throws the error of the wire if it fails.
    static func send(
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
        let reply = origin.reply(
            method: request.method.rawValue,
            target: request.target,
            request: request.headers,
            now: Date().milliseconds
        )
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
