import CoreNetKit
import CoreNetKitCache
import CoreNetKitCurl
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

/// The outcome of a call: `whole`, `status 404`, `cancelled`, `abandoned`, the code of an error.
typealias SoakOutcome = (name: String, detail: String)

struct SoakCall: Sendable {
    enum Mode: String, CaseIterable, Sendable {
        case collect, stream, abandonedStream, file, upload, uploadStream, chain, observer
        case cached, events, lines, pages, download
    }

    struct Echo: Codable, Equatable, Sendable {
        let id: Int
        let uploaded: Int
        let fill: String
    }

    let id: Int
    let kind: SoakKind
    let mode: Mode
    let size: Int
    let uploadSize: Int
    /// Microseconds until the call is cancelled.
    let cancelAfter: Int?
    let environment: SoakEnvironment
    let isOverReverseProxy: Bool

    init(id: Int, random: inout SplitMix64, environment: SoakEnvironment) {
        (self.id, self.environment) = (id, environment)
        mode = Mode.allCases.randomElement(using: &random) ?? .collect
        kind = SoakKind.random(&random, for: mode)
        let canUseProxy = environment.proxy != nil && ![.cached, .pages, .download].contains(mode)
        isOverReverseProxy = canUseProxy && Int.random(in: 0..<4, using: &random) == 0
        let isLarge = Int.random(in: 0..<10, using: &random) == 0
        let size = isLarge ? Int.random(in: 50_000..<400_000, using: &random) : Int.random(in: 3..<300, using: &random)
        // A cached resource is requested again: it must have the same size then.
        self.size = mode == .cached ? 200 + id % SoakEnvironment.entries * 331 % 30_000 : size
        let isUpload = mode == .upload || mode == .uploadStream
        uploadSize = isUpload ? Int.random(in: 1..<100_000, using: &random) : 0
        cancelAfter = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<3000, using: &random) : nil
    }

    var description: String {
        let way = isOverReverseProxy ? " over the HTTP/2 reverse proxy" : ""
        return "call \(id): \(mode) of \(kind)\(way), \(size) bytes, cancelled after \(cancelAfter ?? -1) µs"
    }

    func run(_ tools: SoakTools) async -> SoakOutcome {
        let call = Task { () -> SoakOutcome in
            do {
                return (try await perform(tools), "")
            } catch {
                return (Self.name(error), "\(error)")
            }
        }
        if let cancelAfter {
            if cancelAfter > 50 { try? await Task.sleep(for: .microseconds(cancelAfter)) }
            call.cancel()
        }
        return await call.value
    }

    func allows(_ outcome: String) -> Bool {
        if outcome == "cancelled" { return cancelAfter != nil }
        if outcome == "abandoned" { return mode == .abandonedStream || abandonsEarly }
        // A dead kept-alive connection, and a request that must not be sent again.
        let isNotResendable = mode == .uploadStream || mode == .upload && !hasIdempotencyKey
        if outcome == "connectionLost", isNotResendable { return true }
        // The end marker arrives before the cut, so the events are complete.
        if outcome == "whole", mode == .events, kind == .shortContent { return true }
        return (isOverReverseProxy ? kind.allowedBehindProxy : kind.allowed).contains(outcome)
    }

    private static func name(_ error: any Error) -> String {
        switch error {
        case is CancellationError: return "cancelled"
        case let error as TransportError: return "\(error.code)"
        case let error as NetworkError: return error.refusal.map { "status \($0.status)" } ?? "\(error.code)"
        default: return "\(error)"
        }
    }

    private func perform(_ tools: SoakTools) async throws -> String {
        switch mode {
        case .chain: return try await decoded(tools.builder)
        case .observer: return try await observe(chain(tools.builder).process())
        case .cached: return try await decoded(tools.builder.cache(tools.caches[id % tools.caches.count]))
        case .events: return try await events(tools.builder)
        case .lines: return try await lines(tools.builder)
        case .pages: return try await pages(tools.builder)
        case .download: return try await download(tools.builder)
        case .collect, .stream, .abandonedStream, .file, .upload, .uploadStream:
            return try await check(try await tools.transport.send(request))
        }
    }

    private func decoded(_ builder: UrlChainsBuilder<URL>) async throws -> String {
        let echo: Echo = try await chain(builder).process()
        return check(echo)
    }

    /// The number in the response: of the call, or of the entry that several calls share.
    var resourceNumber: Int { mode == .cached ? id % SoakEnvironment.entries : id }

    var fields: Headers { isOverReverseProxy ? ["Soak-Port": "\(environment.base.port ?? 0)"] : [:] }

    var url: URL {
        let base = isOverReverseProxy ? environment.proxy ?? environment.base : environment.base
        let url = base.appending(path: SoakKind.path(kind, id: resourceNumber, size: size))
        return shape == .plain ? url : url.appending(queryItems: [URLQueryItem(name: "as", value: shape.rawValue)])
    }

    private var shape: SoakShape {
        switch mode {
        case .cached: .cached
        case .events: .events
        case .lines: .lines
        case .pages: .page
        case .download: .file
        default: .plain
        }
    }

    private var hasIdempotencyKey: Bool { id % 2 == 0 }

    var timeouts: Timeouts {
        let isStalled = kind == .stall || kind == .stallInBody
        return isStalled ? Timeouts(firstByte: .milliseconds(60), idle: .milliseconds(60)) : Timeouts()
    }

    var file: URL { environment.folder.appending(path: "\(id)") }

    private var request: TransportRequest {
        var request = TransportRequest(url: url, headers: fields, timeouts: timeouts)
        switch mode {
        case .stream, .abandonedStream: request.delivery = .stream
        case .file: request.delivery = .file(file)
        case .upload:
            (request.method, request.body) = (.post, .bytes(Data(repeating: 7, count: uploadSize)))
            if hasIdempotencyKey { request.headers["Idempotency-Key"] = "\(id)" }
        case .uploadStream:
            let parts = [uploadSize / 3, uploadSize - uploadSize / 3].map { Data(repeating: 7, count: $0) }
            request.method = .put
            request.body = .stream(length: id % 2 == 0 ? Int64(uploadSize) : nil) {
                AsyncThrowingStream { continuation in
                    for part in parts { continuation.yield(part) }
                    continuation.finish()
                }
            }
        case .collect, .chain, .observer, .cached, .events, .lines, .pages, .download: break
        }
        return request
    }

    private func chain(_ builder: UrlChainsBuilder<URL>) -> Chain<Void, Echo> { prepared(builder).build() }

    private func check(_ response: TransportResponse) async throws -> String {
        if mode == .abandonedStream, case .stream(let stream) = response.body {
            var iterator = stream.makeAsyncIterator()
            if id % 2 == 0 { _ = try await iterator.next() }
            return "abandoned"
        }
        let content = try await response.body.collect()
        if case .file(let file) = response.body { try? FileManager.default.removeItem(at: file) }
        guard response.status == 200 else { return "status \(response.status)" }
        return content == shape.content(id: id, size: size, uploaded: uploadSize) ? "whole" : "wrong content"
    }

    private func check(_ echo: Echo) -> String {
        echo.id == resourceNumber && echo.fill.utf8.count == size ? "whole" : "wrong content"
    }

    /// Awaits an observer by its listeners, as callers without async do; a second result would be an outcome of its own.
    private func observe(_ observer: Observer<Echo>) async throws -> String {
        let ends = Locked(0)
        let outcome: Result<Echo, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                @Sendable func end(_ result: Result<Echo, any Error>) {
                    ends.withLock { $0 += 1 }
                    continuation.resume(returning: result)
                }
                observer
                    .onCompleted { end(.success($0)) }
                    .onError { end(.failure($0)) }
                    .onCanceled { end(.failure(CancellationError())) }
            }
        } onCancel: {
            observer.cancel()
        }
        let count = ends.withLock { $0 }
        guard count == 1 else { return "\(count) ends" }
        return check(try outcome.get())
    }
}
