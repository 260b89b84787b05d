import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

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
        guard let bytes = try? files.content(of: path(of: target), limit: 1 << 20),
            let found = try? JSONDecoder().decode(CurrentFile.self, from: Data(bytes)), found.version == 1,
            found.place == place, let status = try? files.status(of: target), status.kind == .file,
            found.size == status.size, found.device == status.device, found.inode == status.inode,
            found.written == status.modifiedExactly
        else { return nil }
        return found
    }

    /// Stores it beside the target.
    func store(for target: String, _ files: any FileOperations) throws(FileError) {
        let bytes = (try? JSONEncoder().encode(self)) ?? Data()
        let name = target.split(separator: "/").last.map(String.init) ?? "download"
        try files.replace(Self.path(of: target), with: Array(bytes), draft: ".\(name).current.json.draft")
    }

    static func path(of target: String) -> String { target + ".current.json" }

    /// The conditional request fields.
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
