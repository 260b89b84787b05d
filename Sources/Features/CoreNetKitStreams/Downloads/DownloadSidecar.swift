import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The metadata stored beside an incomplete file, so that another process can resume.
struct DownloadSidecar: Codable, Equatable {
    var version = 1
    /// The URL, for people who look at the file; without secrets.
    var url: String
    /// A hash of the origin and path of the request.
    var place: String?
    var validator: DownloadValidator?
    var total: Int?
    /// How many bytes are synced to the disk, and so survive a crash of the machine.
    var synced = 0
    /// The boot id of the machine: bytes written by a killed process are safe until the machine restarts.
    var boot: String
    /// The segments that several requests load; version 2.
    var plan: SegmentPlan?

    /// A hash of the resource: origin and path, because the query may be a signature that is new each time.
    static func resourceHash(of url: URL) -> String {
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? url.path
        return Hex.encode(SHA256.digest(Array("\(Origin(url))\n\(path)".utf8)))
    }

    func held(of size: Int, boot: String) -> HeldContent {
        guard version == 1, validator != nil, total.map({ size <= $0 }) ?? true else { return HeldContent() }
        let isSameRun = !boot.isEmpty && boot == self.boot
        return HeldContent(size: isSameRun ? size : min(size, synced), total: total, validator: validator)
    }

    func plan(of size: Int, boot: String) -> SegmentPlan? {
        // The sidecar is stored before the part gets its full length.
        guard version == 2, validator != nil, let plan, plan.isSound, plan.total == total,
            plan.segments.allSatisfy({ $0.done == 0 || $0.start + $0.done <= size })
        else { return nil }
        return !boot.isEmpty && boot == self.boot ? plan : plan.onDisk()
    }

    /// A text that changes with each start of the machine; empty if there is none.
    static func currentBoot(_ files: any FileOperations) -> String {
        // Files in `/proc` report no size.
        guard let file = try? files.open("/proc/sys/kernel/random/boot_id", .read) else { return "" }
        defer { files.close(file) }
        let bytes = (try? files.readAll(file, count: 64)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What is known of a downloaded target: the file's identity, and the validators that the server sent with it.
struct CurrentFile: Codable, Equatable {
    var version = 1
    /// A hash of the origin and path of the request.
    let place: String
    let tag: String?
    let modified: String?
    let size: Int
    let device: UInt64
    let inode: UInt64
    /// The modification time, in nanoseconds.
    let written: Int64

    /// Describes a target; `nil` if it does not exist, or the server sent no validator.
    init?(_ target: String, _ headers: Headers, place: String, _ files: any FileOperations) {
        guard let status = try? files.status(of: target), status.kind == .file,
            headers.contains("ETag") || headers.contains("Last-Modified")
        else { return nil }
        (tag, modified, self.place) = (headers["ETag"], headers["Last-Modified"], place)
        (size, device, inode, written) = (status.size, status.device, status.inode, status.modifiedExactly)
    }

    /// The stored description of a target; `nil` if the file has changed or came from another URL.
    static func stored(for target: String, place: String, _ files: any FileOperations) -> CurrentFile? {
        guard let found = try? files.json(CurrentFile.self, at: path(of: target)), found.version == 1,
            found.place == place, let status = try? files.status(of: target), status.kind == .file,
            found.size == status.size, found.device == status.device, found.inode == status.inode,
            found.written == status.modifiedExactly
        else { return nil }
        return found
    }

    static func path(of target: String) -> String { target + ".current.json" }

    var fields: Headers {
        var fields = Headers()
        if let tag { fields["If-None-Match"] = tag }
        if let modified { fields["If-Modified-Since"] = modified }
        return fields
    }

    /// Whether a 304 confirms this file (RFC 9111, 4.3.4): one with another validator does not.
    func isMeant(by headers: Headers) -> Bool {
        if let tag, let other = headers["ETag"] { return Self.opaque(tag) == Self.opaque(other) }
        if let modified, let other = headers["Last-Modified"] { return modified == other }
        return true
    }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}

// MARK: - Values in files of their own

extension FileOperations {
    /// A value that was stored as JSON; `nil` if there is none, or no such one.
    func json<Value: Decodable>(_ type: Value.Type, at path: String) throws(FileError) -> Value? {
        try content(of: path, limit: 1 << 20).flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }

    /// Stores a value as JSON, by a draft that no other file of the folder has.
    func store(_ value: some Encodable, at path: String) throws(FileError) {
        let bytes = (try? JSONEncoder().encode(value)) ?? Data()
        let name = path.split(separator: "/").last ?? "value"
        try replace(path, with: Array(bytes), draft: ".\(name).draft")
    }
}
