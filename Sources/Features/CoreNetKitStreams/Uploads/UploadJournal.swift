import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// What an upload needs to be resumed by another process: where the server keeps it, of which file it is, and of which errand.
struct UploadJournal: Codable, Equatable {
    var version = 2
    var location: String
    var file: FileMark
    /// What was asked for, and for whom; without secrets.
    var errand: String

    /// The journal of the same file and errand; anything else is none.
    static func read(_ path: String, of file: FileMark, errand: String, _ files: any FileOperations) -> UploadJournal? {
        guard let journal = read(path, errand: errand, files), journal.file == file else { return nil }
        return journal
    }

    /// The journal of the same errand, of whatever file.
    static func read(_ path: String, errand: String, _ files: any FileOperations) -> UploadJournal? {
        guard let bytes = (try? files.content(of: path, limit: 1 << 20)) ?? nil,
            let journal = try? JSONDecoder().decode(UploadJournal.self, from: Data(bytes)),
            journal.version == 2, journal.errand == errand
        else { return nil }
        return journal
    }

    /// A name for the request that creates an upload and for whom it is, which tells neither.
    ///
    /// - Parameters:
    ///   - step: The request that creates the upload.
    ///   - url: Where it goes.
    ///   - partition: Whose it is: another user's upload is nobody else's.
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
