import CoreNetKitStreams
import TestSupport

/// Serves one file with ranges as RFC 9110 wants it, and can be made to break off or to change.
final class FileHost: Sendable {
    struct Settings: Sendable {
        var content: [UInt8]
        var tag = "\"1\""
        var hasRanges = true
        /// Behind how many bytes of content each response breaks off.
        var breaks: Int?
        /// How much of the rest a part has at most.
        var partLimit: Int?
        /// Changes what would be sent.
        var change: (@Sendable (LoopbackRequest, LoopbackResponse) -> LoopbackResponse)?
        /// Called with the number of each request.
        var onRequest: (@Sendable (Int, inout Settings) -> Void)?
        var count = 0
        /// Called with the bytes that were given so far.
        var onGiven: (@Sendable (Int) -> Void)?
        var given = 0
    }

    let server: LoopbackServer
    let settings: Locked<Settings>
    /// What is served at first.
    let content: [UInt8]
    /// Where it is downloaded to.
    let folder: TemporaryFolder

    init(_ content: [UInt8]) throws {
        self.content = content
        settings = Locked(Settings(content: content))
        (server, folder) = (try LoopbackServer(), try TemporaryFolder())
        let settings = settings
        for path in ["/file", "/file/other"] {
            server.on(.get, path) { request in
                let now = settings.withLock { settings in
                    settings.count += 1
                    let onRequest = settings.onRequest
                    onRequest?(settings.count, &settings)
                    return settings
                }
                let response = Self.response(to: request, now, settings)
                return now.change?(request, response) ?? response
            }
        }
    }

    static func content(_ count: Int) -> [UInt8] {
        var random = SplitMix64(seed: 5)
        // In a plain loop: without optimization, a closure for each byte takes seconds.
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            while filled < count {
                bytes[filled] = UInt8(truncatingIfNeeded: random.next())
                filled += 1
            }
        }
    }

    var url: URL { server.url("/file") }

    /// The first bytes that were asked for, in the order of the requests; `nil` for the whole.
    var ranges: [String?] { server.requests.map { $0.headers["Range"] } }

    private static func response(
        to request: LoopbackRequest,
        _ now: Settings,
        _ settings: Locked<Settings>
    ) -> LoopbackResponse {
        let total = now.content.count
        var (bytes, status, headers) = (now.content[...], 200, Headers([("ETag", now.tag)]))
        let isMeant = request.headers["If-Range"].map { $0 == now.tag } ?? true
        if let text = request.headers["Range"], now.hasRanges, isMeant {
            let ends = text.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            guard ends[0] < total else {
                return .status(416, headers: ["Content-Range": "bytes */\(total)", "ETag": now.tag])
            }
            let end = min(ends.count > 1 ? ends[1] + 1 : total, ends[0] + (now.partLimit ?? total), total)
            (bytes, status) = (now.content[ends[0]..<end], 206)
            headers["Content-Range"] = "bytes \(ends[0])-\(end - 1)/\(total)"
        }
        let part = Array(bytes)
        let body: LoopbackResponse.Body = now.onGiven == nil ? .data(Data(part)) : counted(part, settings)
        var response = LoopbackResponse(status: status, headers: headers, body: body)
        if let breaks = now.breaks { response.faults = [.close(.inBody(breaks))] }
        return response
    }

    /// Content in pieces, which are counted as they are given.
    private static func counted(_ part: [UInt8], _ settings: Locked<Settings>) -> LoopbackResponse.Body {
        .stream(length: part.count) { index in
            let piece = part.dropFirst(index << 16).prefix(1 << 16)
            if piece.isEmpty { return nil }
            let (given, onGiven) = settings.withLock { settings in
                settings.given += piece.count
                return (settings.given, settings.onGiven)
            }
            onGiven?(given)
            return Data(piece)
        }
    }
}

/// A suite of downloads from a host to a target in its folder.
protocol DownloadSuite {
    var host: FileHost { get }
}

extension DownloadSuite {
    var content: [UInt8] { host.content }
    var folder: TemporaryFolder { host.folder }
    var target: URL { folder["file.bin"] }

    func chain(
        _ check: DownloadCheck = .size,
        resume: DownloadResume = .automatic,
        refresh: DownloadRefresh = .always,
        from url: URL? = nil,
        client: Client = Client(),
        monitor: TransferMonitor? = nil
    ) -> Chain<Void, Download> {
        UrlChainsBuilder<URL>(client: client).route(.get, url ?? host.url)
            .download(to: target, resume: resume, verify: check, refresh: refresh, progress: monitor)
    }

    /// What a chain fails with.
    func failure(_ chain: Chain<Void, Download>) async -> (error: NetworkError?, code: DownloadError.Code?) {
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        return (error, (error?.cause as? DownloadError)?.code)
    }

    /// Leaves a part behind as a connection that breaks off does.
    func breakOff(behind count: Int, from url: URL? = nil) async throws {
        host.settings.withLock { $0.breaks = count }
        #expect(await failure(chain(from: url)).error?.code == .connectionLost)
        host.settings.withLock { $0.breaks = nil }
    }

    /// The target has these bytes, and nothing but these files is beside it.
    func expectComplete(_ bytes: [UInt8]? = nil, beside others: [String] = []) throws {
        #expect(try Array(Data(contentsOf: target)) == bytes ?? content)
        #expect(folder.names == ["file.bin"] + others)
    }
}
