import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// The checkpoint of an upload for another process: the upload URL, the file's identity and the request's fingerprint.
struct UploadJournal: Codable, Equatable {
    var version = 2
    var location: String
    var file: FileMark
    /// The fingerprint of the request and its user; without secrets.
    var errand: String

    /// The journal of the same file and request; `nil` for any other.
    static func read(_ path: String, of file: FileMark, errand: String, _ files: any FileOperations) -> UploadJournal? {
        guard let journal = read(path, errand: errand, files), journal.file == file else { return nil }
        return journal
    }

    /// The journal of the same request, for any file.
    static func read(_ path: String, errand: String, _ files: any FileOperations) -> UploadJournal? {
        guard let bytes = (try? files.content(of: path, limit: 1 << 20)) ?? nil,
            let journal = try? JSONDecoder().decode(UploadJournal.self, from: Data(bytes)),
            journal.version == 2, journal.errand == errand
        else { return nil }
        return journal
    }

    /// A fingerprint of the request that creates an upload and of its user, which reveals neither.
    ///
    /// - Parameters:
    ///   - step: The request that creates the upload.
    ///   - url: The URL of that request.
    ///   - partition: The user's partition: users do not share uploads.
    /// - Returns: Hexadecimal digits.
    static func errand(_ step: UploadStep?, _ url: URL, _ partition: Partition) -> String {
        let fields = (step?.headers.fields ?? []).filter { !["Upload-Length", "Upload-Complete"].contains($0.name) }
        let lines = ["\(step?.method ?? .post)", url.absoluteString, partition.name]
        let text = (lines + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\n")
        return Hex.encode(SHA256.digest(Array(text.utf8)))
    }

    func store(_ path: String, _ files: any FileOperations) throws(FileError) {
        let bytes = (try? JSONEncoder().encode(self)) ?? Data()
        let name = path.split(separator: "/").last.map(String.init) ?? "upload"
        try files.replace(path, with: Array(bytes), draft: ".\(name).draft")
    }
}
