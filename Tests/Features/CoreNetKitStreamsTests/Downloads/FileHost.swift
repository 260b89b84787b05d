import TestSupport

/// Serves one file with ranges as RFC 9110 wants it, and can be made to break off or to change.
final class FileHost: Sendable {
    struct Settings: Sendable {
        var content: [UInt8]
        var tag = "\"1\""
        /// Behind how many bytes of content each response breaks off.
        var breaks: Int?
        /// How much of the rest a part has at most.
        var partLimit: Int?
        /// Changes what would be sent.
        var change: (@Sendable (LoopbackRequest, LoopbackResponse) -> LoopbackResponse)?
    }

    let server: LoopbackServer
    let settings: Locked<Settings>

    init(_ content: [UInt8]) throws {
        settings = Locked(Settings(content: content))
        server = try LoopbackServer()
        let settings = settings
        for path in ["/file", "/file/other"] {
            server.on(.get, path) { request in
                let now = settings.withLock { $0 }
                let response = Self.response(to: request, now)
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

    private static func response(to request: LoopbackRequest, _ now: Settings) -> LoopbackResponse {
        let total = now.content.count
        var first = 0
        if let range = request.headers["Range"], request.headers["If-Range"] == now.tag,
            let start = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
        {
            guard start < total else {
                return .status(416, headers: ["Content-Range": "bytes */\(total)", "ETag": now.tag])
            }
            first = start
        }
        let end = now.partLimit.map { min(total, first + $0) } ?? total
        let isPart = first > 0 || end < total && request.headers.contains("Range")
        var response = LoopbackResponse.data(Data(now.content[first..<(isPart ? end : total)]))
        response.headers["ETag"] = now.tag
        if isPart {
            response.status = 206
            response.headers["Content-Range"] = "bytes \(first)-\(end - 1)/\(total)"
        }
        if let breaks = now.breaks { response.faults = [.close(.inBody(breaks))] }
        return response
    }
}
