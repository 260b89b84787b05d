import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// Reads a tape, an HTTP archive, including those written by browsers.
struct CassetteFile {
    let url: URL

    /// Longer contents are in files of their own, named by a hash of their bytes.
    static let inlineLimit = 8 << 10
    static let sizeLimit = 256 << 20
    static let version = 1

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    var folder: URL { url.deletingPathExtension().appendingPathExtension("bodies") }

    /// The parsed file; `size` is in bytes.
    struct Content {
        var entries: [CassetteEntry]
        var recordedAt: Date?
        /// The version of the redaction rules with which it was written; `nil` for another program's archive.
        var redactionVersion: Int?
        var size = 0
    }

    func read() throws(CassetteError) -> Content {
        guard let data = try? Data(contentsOf: url) else {
            throw CassetteError(code: .missing, message: "there is no tape at \(url.path); record it first")
        }
        guard data.count <= Self.sizeLimit else {
            throw CassetteError(code: .tooLarge, message: "\(url.path) has \(data.count) bytes")
        }
        let json: Json
        do { json = try Json(parsing: data) } catch { throw invalid("is not JSON: \(error)") }
        guard let log = json["log"], let list = log["entries"]?.array else { throw invalid("has no log with entries") }
        if let version = log["_coreNetKit"]?["version"]?.int, version > Self.version {
            throw CassetteError(
                code: .newerVersion,
                message: "\(url.path) was written by a newer version (\(version)); this one reads \(Self.version)"
            )
        }
        let entries = try entries(of: list)
        let recorded = log["_coreNetKit"]?["recordedAt"]?.string.flatMap { HTTPDate.parse($0) }
        // Missing in the first version.
        let redactionVersion = log["_coreNetKit"].map { $0["secrets"]?.int ?? 1 }
        return Content(entries: entries, recordedAt: recorded, redactionVersion: redactionVersion, size: data.count)
    }

    /// The entries in the order in which the requests began.
    private func entries(of list: [Json]) throws(CassetteError) -> [CassetteEntry] {
        var entries: [(start: String, entry: CassetteEntry)] = []
        for (index, item) in list.enumerated() {
            // A browser's failed requests have no response to play.
            guard let entry = try entry(item, index), entry.status > 0 else { continue }
            entries.append((item["startedDateTime"]?.string ?? "", entry))
        }
        let sorted = entries.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        let all = sorted.map(\.element.entry)
        let missing = all.compactMap { if case .missing(let size) = $0.extent { size } else { nil } }
        if !missing.isEmpty, missing.count == all.count(where: { $0.extent != .whole || !$0.body.isEmpty }) {
            throw CassetteError(
                code: .withoutContents,
                message: """
                    \(url.path) has the heads of \(all.count) responses and none of their contents (\(missing.reduce(0, +)) \
                    bytes); save it with contents (for a CallRecorder, set keepingBodies), or record a tape
                    """
            )
        }
        return all
    }

    private func entry(_ item: Json, _ index: Int) throws(CassetteError) -> CassetteEntry? {
        guard let request = item["request"], let method = request["method"]?.string, let url = request["url"]?.string
        else { throw invalid("has no method or URL in entry \(index + 1)") }
        guard let response = item["response"], let status = response["status"]?.double, status.isFinite,
            0...999 ~= status
        else { return nil }
        let messages = item["_webSocketMessages"]?.array.map { $0.compactMap { CassetteMessage($0) } }
        let sent = CassetteRequest(
            method: method,
            // A browser writes `wss`; a handshake is an HTTP request.
            url: messages != nil && url.hasPrefix("ws") ? "http" + url.dropFirst(2) : url,
            headers: headers(request["headers"]),
            body: try body(request["postData"], "_encoding", index)
        )
        let time = item["time"]?.double ?? 0
        let (content, isHead) = (response["content"], method == "HEAD" || status == 304)
        var extent = CassetteEntry.Extent.whole
        if item["_coreNetKit"]?["cut"]?.bool == true {
            extent = .truncated
        } else if messages == nil, !isHead, content?["text"] == nil, content?["_file"] == nil,
            let size = content?["size"]?.int ?? response["bodySize"]?.int, size > 0
        {
            extent = .missing(size)
        }
        return CassetteEntry(
            request: sent,
            status: Int(status),
            headers: headers(response["headers"]),
            body: try body(content, "encoding", index),
            extent: extent,
            time: time.isFinite ? max(time, 0) : 0,
            position: item["_coreNetKit"]?["place"]?.int ?? index,
            messages: messages
        )
    }

    private func headers(_ list: Json?) -> Headers {
        var headers: Headers = [:]
        for item in list?.array ?? [] {
            // HTTP/2 in browsers' archives: pseudo-headers such as `:authority` are not fields.
            guard let name = item["name"]?.string, !name.hasPrefix(":"), let value = item["value"]?.string
            else { continue }
            headers.append(name, value)
        }
        return headers
    }

    private func body(_ content: Json?, _ encoding: String, _ index: Int) throws(CassetteError) -> Data {
        if let name = content?["_file"]?.string {
            guard !name.contains("/"), !name.hasPrefix(".") else { throw invalid("names a file elsewhere: \(name)") }
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else {
                throw CassetteError(code: .missing, message: "\(folder.path)/\(name) of entry \(index + 1) is missing")
            }
            return data
        }
        guard let text = content?["text"]?.string else { return Data() }
        guard content?[encoding]?.string == "base64" else { return Data(text.utf8) }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw invalid("has a content that is not Base64 in entry \(index + 1)")
        }
        return data
    }

    private func invalid(_ message: String) -> CassetteError {
        CassetteError(code: .invalidFile, message: "\(url.path) \(message)")
    }
}
