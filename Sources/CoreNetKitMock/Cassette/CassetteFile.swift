import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// Reads and writes a tape as an HTTP archive; the archive of a browser is a tape too.
struct CassetteFile {
    let url: URL

    /// Longer contents stand in files of their own, named by what they contain.
    static let inlineLimit = 8 << 10
    static let sizeLimit = 256 << 20
    static let version = 1

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    private var folder: URL { url.deletingPathExtension().appendingPathExtension("bodies") }

    /// What stands in a file.
    struct Content {
        var entries: [CassetteEntry]
        var recordedAt: Date?
        /// By which version of the rules of secrets it was written; `nil` for another program's archive.
        var secrets: Int?
    }

    func read() throws(CassetteError) -> Content {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw CassetteError(code: .missing, message: "there is no tape at \(url.path); record it first")
        }
        guard data.count <= Self.sizeLimit else {
            throw CassetteError(code: .tooLarge, message: "\(url.path) has \(data.count) bytes")
        }
        let json: Json
        do {
            json = try Json(parsing: data)
        } catch {
            throw invalid("is no JSON: \(error)")
        }
        guard let log = json["log"], let list = log["entries"]?.array else { throw invalid("has no log with entries") }
        if let version = log["_coreNetKit"]?["version"]?.int, version > Self.version {
            throw CassetteError(
                code: .newerVersion,
                message: "\(url.path) was written by a newer version (\(version)); this one reads \(Self.version)"
            )
        }
        var entries: [(start: String, entry: CassetteEntry)] = []
        for (index, item) in list.enumerated() {
            // A browser's failed requests have no response to play.
            guard let entry = try entry(item, index), entry.status > 0 else { continue }
            entries.append((item["startedDateTime"]?.string ?? "", entry))
        }
        let sorted = entries.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        let recorded = log["_coreNetKit"]?["recordedAt"]?.string.flatMap { HTTPDate.parse($0) }
        // The first version did not say so.
        let secrets = log["_coreNetKit"].map { $0["secrets"]?.int ?? 1 }
        return Content(entries: sorted.map(\.element.entry), recordedAt: recorded, secrets: secrets)
    }

    private func entry(_ item: Json, _ index: Int) throws(CassetteError) -> CassetteEntry? {
        guard let request = item["request"], let method = request["method"]?.string, let url = request["url"]?.string
        else { throw invalid("has no method or URL in entry \(index + 1)") }
        guard let response = item["response"], let status = response["status"]?.double, status.isFinite,
            0...999 ~= status
        else { return nil }
        let sent = CassetteRequest(
            method: method,
            url: url,
            headers: headers(request["headers"]),
            body: try body(request["postData"], "_encoding", index)
        )
        let time = item["time"]?.double ?? 0
        return CassetteEntry(
            request: sent,
            status: Int(status),
            headers: headers(response["headers"]),
            body: try body(response["content"], "encoding", index),
            time: time.isFinite ? max(time, 0) : 0
        )
    }

    private func headers(_ list: Json?) -> Headers {
        var headers: Headers = [:]
        for item in list?.array ?? [] {
            // HTTP/2 in browsers' archives: `:authority` and the like are no fields.
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
            throw invalid("has a content that is no Base64 in entry \(index + 1)")
        }
        return data
    }

    private func invalid(_ message: String) -> CassetteError {
        CassetteError(code: .invalidFile, message: "\(url.path) \(message)")
    }

    /// Writes the whole tape; times stand still where the tape stands still, so that a new recording differs little.
    func write(_ entries: [CassetteEntry], recordedAt: Date) throws(CassetteError) {
        var list: [Json] = []
        do {
            for (index, entry) in entries.enumerated() { list.append(try json(entry, index, recordedAt)) }
            let log: Json = [
                "version": "1.2", "creator": ["name": "CoreNetKit", "version": "1.0"], "pages": [],
                "_coreNetKit": [
                    "version": Json(Self.version), "secrets": Json(SecretRules.version),
                    "recordedAt": Json(HTTPDate.format(recordedAt)),
                ],
                "entries": Json(list),
            ]
            let root: Json = ["log": log]
            try root.data(pretty: true).write(to: url, options: .atomic)
        } catch {
            throw CassetteError(code: .notWritable, message: "\(url.path) cannot be written: \(error)")
        }
    }

    private func json(_ entry: CassetteEntry, _ index: Int, _ recordedAt: Date) throws -> Json {
        let day = Date(timeIntervalSince1970: (recordedAt.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
        let start = CivilTime(day.addingTimeInterval(Double(index)))?.iso8601 ?? "1970-01-01T00:00:00Z"
        let version: Json = "http/1.1"
        let time = Json(Int(min(entry.time.rounded(), 86_400_000)))
        var request: [String: Json] = [
            "method": Json(entry.request.method), "url": Json(entry.request.url), "httpVersion": version,
            "cookies": [], "headers": pairs(entry.request.headers), "queryString": [], "headersSize": -1,
            "bodySize": Json(entry.request.body.count),
        ]
        if !entry.request.body.isEmpty {
            request["postData"] = try content(
                entry.request.body,
                ["mimeType": Json(entry.request.headers["Content-Type"] ?? "")],
                "_encoding"
            )
        }
        let content = try content(
            entry.body,
            ["size": Json(entry.body.count), "mimeType": Json(entry.headers["Content-Type"] ?? "")],
            "encoding"
        )
        let response: [String: Json] = [
            "status": Json(entry.status), "statusText": "", "httpVersion": version, "cookies": [],
            "headers": pairs(entry.headers), "content": content, "redirectURL": Json(entry.headers["Location"] ?? ""),
            "headersSize": -1, "bodySize": Json(entry.body.count),
        ]
        let timings: Json = [
            "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": time, "receive": 0,
        ]
        return [
            "startedDateTime": Json(start), "time": time, "request": Json(request), "response": Json(response),
            "cache": [:], "timings": timings,
        ]
    }

    private func content(_ body: Data, _ members: [String: Json], _ encoding: String) throws -> Json {
        var members = members
        if body.count > Self.inlineLimit {
            let name = Hex.encode(SHA256.digest(body).prefix(16)) + ".body"
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try body.write(to: folder.appendingPathComponent(name), options: .atomic)
            members["_file"] = Json(name)
        } else if let text = String(validating: body, as: UTF8.self) {
            members["text"] = Json(text)
        } else {
            members["text"] = Json(body.base64EncodedString())
            members[encoding] = "base64"
        }
        return Json(members)
    }

    private func pairs(_ headers: Headers) -> Json {
        Json(headers.map { field -> Json in ["name": Json(field.name), "value": Json(field.value)] })
    }
}
