import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

extension CacheEngine {
    /// Makes a response of a stored variant, in the form that the request asks for; `nil` if the content cannot be read.
    ///
    /// A stream may be read after the call's deadline. Throws ``TransportError`` as a transport would.
    package func response(
        _ variant: CacheVariant,
        _ content: any CacheContent,
        to request: TransportRequest,
        age: Int64,
        within deadline: Duration?
    ) async throws -> TransportResponse? {
        let content = request.delivery == .stream ? content : content.within(deadline)
        var (response, range) = head(of: variant, length: content.length, to: request, age: age)
        if request.method == .head { return response }
        let isSuccess = (200..<300).contains(response.status)
        switch request.delivery {
        case .duplex: return nil
        case .stream:
            response.body = .stream(content.stream(range))
        case .file(let url) where isSuccess:
            do { if try await !copy(content, range, to: url) { return nil } } catch {
                let message = "the stored content could not be copied: \(error)"
                throw TransportError(.fileFailed, phase: .receive, message: message)
            }
            response.body = .file(url)
        case .discard where isSuccess: break
        case .file, .discard, .collect:
            if case .collect(let limit) = request.delivery, range.count > limit {
                throw TransportError.tooLarge(limit: limit)
            }
            guard let data = await content.read(range) else { return nil }
            response.body = .bytes(data)
        }
        return response
    }

    /// The response without its content, and the range of the content to add.
    private func head(of variant: CacheVariant, length: Int64, to request: TransportRequest, age: Int64)
        -> (TransportResponse, Range<Int64>)
    {
        var headers = StoredHead(variant, age: age).headers
        var status = variant.status
        let part = part(of: variant, length, request)
        if let part {
            status = 206
            headers["Content-Range"] = part.text
            headers["Content-Length"] = String(part.positions.count)
        }
        var response = TransportResponse(status: status, headers: headers, url: request.url)
        response.isDecoded = variant.isDecoded
        guard let part else { return (response, 0..<length) }
        // Positions in a part count from the start of the representation.
        let start = variant.isPartial ? variant.facts.contentRange?.positions.lowerBound ?? 0 : 0
        return (response, part.positions.lowerBound - start..<part.positions.upperBound - start)
    }

    private func part(of variant: CacheVariant, _ length: Int64, _ request: TransportRequest) -> ContentRange? {
        guard request.method == .get, variant.status == 200 || variant.isPartial, !variant.isDecoded,
            let text = request.headers["Range"]
        else { return nil }
        let total = variant.isPartial ? variant.facts.contentRange?.total ?? 0 : length
        return ByteRange(text)?.positions(in: total).map { ContentRange($0, of: total) }
    }

    /// Responds without waiting if the variant of a finding is in memory and the caller collects the content.
    package func respondNow(_ finding: CacheFinding, to request: TransportRequest) -> CachedResponse? {
        guard let variant = finding.usedVariant, case .inline(let data) = variant.content,
            case .collect(let limit) = request.delivery, data.count <= limit, request.method == .get,
            finding.decision.reason != .slice
        else { return nil }
        let age = variant.age(at: finding.time) ?? 0
        let head = StoredHead(variant, age: age)
        var response = TransportResponse(status: variant.status, body: .bytes(data), url: request.url, source: head)
        if variant.isDecoded { response.isDecoded = true }
        let outcome = outcome(of: finding, variant, finding.decision.reason, age: age)
        response.cache = outcome
        return (response, outcome)
    }

    private func outcome(of finding: CacheFinding, _ variant: CacheVariant, _ reason: CacheReason.Code, age: Int64)
        -> CacheOutcome
    {
        var outcome = CacheOutcome(.hit, reason, age: age, lifetime: finding.decision.lifetime)
        outcome.tier = finding.record?.tier(of: variant)
        if case .useStale(_, refresh: true) = finding.decision.action { outcome.isRefreshing = true }
        if finding.isDueEarly { outcome.isRefreshing = true }
        return outcome
    }

    /// The generated response if the network must not be used (RFC 9111, 5.2.1.7).
    package func refusal(of request: TransportRequest) -> TransportResponse {
        TransportResponse(status: 504, headers: ["Content-Length": "0"], url: request.url)
    }

    /// Responds with the variant of a finding, or the one for a failed server; `nil` if there is none, or no content.
    package func respond(
        _ finding: CacheFinding,
        to request: TransportRequest,
        isFallback: Bool = false
    ) async throws -> CachedResponse? {
        let index = isFallback ? finding.decision.fallback : finding.decision.usedIndex
        guard let variant = index.flatMap({ finding.variant($0) }),
            let content = await vault.within(finding.deadline).content(of: variant, for: finding.key)
        else { return nil }
        let age = variant.age(at: finding.time) ?? 0
        let made = try await response(variant, content, to: request, age: age, within: finding.deadline)
        guard var response = made else { return nil }
        let outcome = outcome(of: finding, variant, isFallback ? .ifError : finding.decision.reason, age: age)
        response.cache = outcome
        return (response, outcome)
    }

    /// Writes content to a file, piece by piece and atomically; returns whether all of it could be read.
    func copy(_ content: any CacheContent, _ range: Range<Int64>, to url: URL) async throws -> Bool {
        let files = PosixFiles()
        let path = url.path
        let draft = "\(path).\(UInt64.random(in: .min ... .max))"
        let file = try await Self.copies.run { () throws(FileError) in try files.open(draft, .create) }
        do {
            defer { files.close(file) }
            var position = range.lowerBound
            while position < range.upperBound {
                let end = min(range.upperBound, position + 1 << 20)
                guard let piece = await content.read(position..<end) else {
                    await Self.copies.run { try? files.remove(draft) }
                    return false
                }
                let offset = Int(position - range.lowerBound)
                let bytes = [UInt8](piece)
                try await Self.copies.run { () throws(FileError) in try files.writeAll(file, bytes, at: offset) }
                position = end
            }
            try await Self.copies.run { () throws(FileError) in try files.rename(draft, to: path) }
        } catch {
            await Self.copies.run { try? files.remove(draft) }
            throw error
        }
        return true
    }

    static let copies = FileWorker("cache.copy")
}

extension CacheContent {
    package func stream(_ range: Range<Int64>) -> ResponseStream {
        let position = Locked(range.lowerBound)
        return ResponseStream(
            next: {
                try Task.checkCancellation()
                let start = position.withLock { $0 }
                let end = Swift.min(range.upperBound, start + 65_536)
                guard start < end else { return nil }
                guard let chunk = await self.read(start..<end) else {
                    let message = "the stored content could not be read to its end"
                    throw TransportError(.connectionLost, phase: .receive, message: message)
                }
                position.withLock { $0 = end }
                return chunk
            },
            cancel: { position.withLock { $0 = range.upperBound } }
        )
    }
}

/// The fields of a stored response with its age, built on demand.
final class StoredHead: ResponseSource {
    private let fields: Headers
    private let hasAge: Bool
    private let age: Int64

    init(_ variant: CacheVariant, age: Int64) {
        (fields, hasAge, self.age) = (variant.headers, variant.facts.hasAge, age)
    }

    var headers: Headers {
        var headers = fields
        if hasAge { headers.remove("Age") }
        headers.append("Age", String(age / 1000))
        return headers
    }

    var timings: TransportTimings { TransportTimings() }
    var httpVersion: String? { nil }
    var reason: String { "" }
}
