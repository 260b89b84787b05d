import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// Appends entries to a tape, one write for each; while it has the file, no other tape records to it.
///
/// Entries are in the order in which the exchanges ended, and are played in the order in which they began.
final class CassetteWriter {
    private let tape: CassetteFile
    private let files: any FileOperations
    private let day: Date
    private var file: OpenFile?
    /// The offset of the next entry.
    private var end = 0
    private var isFirst = true

    private static let tail = "\n]}}\n"

    init(_ tape: CassetteFile, _ files: any FileOperations, recordedAt date: Date) {
        self.tape = tape
        self.files = files
        day = Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    }

    deinit { if let file { files.close(file) } }

    var isOpen: Bool { file != nil }

    /// Opens the file for exclusive use.
    ///
    /// The tape must have the entries first; `nil` keeps the existing ones. The size is that of the file when it was read;
    /// `nil` if it does not matter.
    func open(with entries: [CassetteEntry]?, size: Int?, recordedAt: Date) throws(CassetteError) {
        // Links in the path are followed, but not one in place of the tape.
        let place = tape.url.deletingLastPathComponent().resolvingSymlinksInPath()
        let path = place.appendingPathComponent(tape.url.lastPathComponent).path
        do {
            let file = try files.open(path, .updateOrCreate)
            do {
                guard try files.tryLock(file) else { throw notWritable("another tape records to it") }
                let there = try files.status(of: file).size
                if let size, size != there { throw notWritable("it was changed since it was read") }
                self.file = file
                if let entries {
                    let former = try files.readAll(file, count: there)
                    do { try begin(file, entries, recordedAt) } catch {
                        // Restore the former content: it is worth more than the beginning of a tape.
                        try? files.writeAll(file, former, at: 0)
                        try? files.truncate(file, to: former.count)
                        throw error
                    }
                } else {
                    end = there - Self.tail.utf8.count
                    isFirst = false
                }
            } catch {
                files.close(file)
                self.file = nil
                throw error
            }
        } catch let error as CassetteError {
            throw error
        } catch {
            throw notWritable("\(error)")
        }
    }

    private func notWritable(_ reason: String) -> CassetteError {
        CassetteError(code: .notWritable, message: "\(tape.url.path) cannot be recorded to: \(reason)")
    }

    private func begin(_ file: OpenFile, _ entries: [CassetteEntry], _ recordedAt: Date) throws {
        let head = Self.head + ",\"pages\":[],\"_coreNetKit\":{\"version\":\(CassetteFile.version),"
        let about =
            "\"secrets\":\(SecretRules.version),\"recordedAt\":\"\(HTTPDate.format(recordedAt))\"},\"entries\":["
        try files.truncate(file, to: 0)
        let bytes = Array((head + about).utf8)
        try files.writeAll(file, bytes + Array(Self.tail.utf8), at: 0)
        (end, isFirst) = (bytes.count, true)
        for entry in entries { try append(entry) }
    }

    private static let head =
        "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"CoreNetKit\",\"version\":\"\(PackageVersion.text)\"}"

    /// Whether entries can be appended to the file.
    func canAppend() -> Bool {
        guard let bytes = try? Data(contentsOf: tape.url, options: .alwaysMapped) else { return false }
        return bytes.prefix(Self.head.utf8.count) == Data(Self.head.utf8)
            && bytes.suffix(Self.tail.utf8.count) == Data(Self.tail.utf8)
    }

    /// Adds an entry; the file is a complete archive before and after, even if the disk is full.
    func append(_ entry: CassetteEntry) throws {
        guard let file else { throw notWritable("it is not open") }
        let text = try json(entry).text(pretty: true)
        let bytes = Array(((isFirst ? "\n" : ",\n") + text).utf8)
        do { try files.writeAll(file, bytes + Array(Self.tail.utf8), at: end) } catch {
            // The end of the archive is written again at its old position.
            try? files.truncate(file, to: end)
            try? files.writeAll(file, Array(Self.tail.utf8), at: end)
            throw error
        }
        end += bytes.count
        isFirst = false
    }

    // MARK: - Entries

    private func json(_ entry: CassetteEntry) throws -> Json {
        // Times depend only on the position, so that a new recording differs little.
        let start = CivilTime(day.addingTimeInterval(Double(entry.position)))?.iso8601 ?? "1970-01-01T00:00:00Z"
        let version: Json = "http/1.1"
        let time = Json(Int(min(entry.time.rounded(), 86_400_000)))
        var own: [String: Json] = ["place": Json(entry.position)]
        if entry.extent == .truncated { own["cut"] = true }
        let timings: Json = [
            "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": time, "receive": 0,
        ]
        var members: [String: Json] = [
            "startedDateTime": Json(start), "time": time, "request": try request(entry, version),
            "response": try response(entry, version), "cache": [:], "timings": timings, "_coreNetKit": Json(own),
        ]
        if let messages = entry.messages {
            members["_resourceType"] = "websocket"
            members["_webSocketMessages"] = Json(messages.map(\.json))
        }
        return Json(members)
    }

    private func request(_ entry: CassetteEntry, _ version: Json) throws -> Json {
        var request: [String: Json] = [
            "method": Json(entry.request.method), "url": Json(entry.request.url), "httpVersion": version,
            "cookies": [], "headers": pairs(entry.request.headers), "queryString": [], "headersSize": -1,
            "bodySize": Json(entry.request.body.count),
        ]
        if !entry.request.body.isEmpty {
            let type = entry.request.headers["Content-Type"] ?? ""
            request["postData"] = try content(entry.request.body, ["mimeType": Json(type)], "_encoding")
        }
        return Json(request)
    }

    private func response(_ entry: CassetteEntry, _ version: Json) throws -> Json {
        let type = Json(entry.headers["Content-Type"] ?? "")
        var size = entry.body.count
        if case .missing(let count) = entry.extent { size = count }
        let about: [String: Json] = ["size": Json(size), "mimeType": type]
        let content = size > 0 && entry.body.isEmpty ? Json(about) : try content(entry.body, about, "encoding")
        return [
            "status": Json(entry.status), "statusText": "", "httpVersion": version, "cookies": [],
            "headers": pairs(entry.headers), "content": content, "redirectURL": Json(entry.headers["Location"] ?? ""),
            "headersSize": -1, "bodySize": Json(size),
        ]
    }

    private func content(_ body: Data, _ members: [String: Json], _ encoding: String) throws -> Json {
        var members = members
        if body.count > CassetteFile.inlineLimit {
            let name = Hex.encode(SHA256.digest(body).prefix(16)) + ".body"
            try files.claimFolder(tape.folder.path)
            try files.replace(tape.folder.appendingPathComponent(name).path, with: [UInt8](body), durability: nil)
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
