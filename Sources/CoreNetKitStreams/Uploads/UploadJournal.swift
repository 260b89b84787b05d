import CoreNetKitEssentials
import CoreNetKitSystem

/// What an upload needs to be resumed by another process: where the server keeps it, and of which file it is.
struct UploadJournal: Codable, Equatable {
    var version = 1
    var location: String
    var size: Int
    var modified: Int64

    /// The journal of the same file; anything else is none.
    static func read(_ path: String, size: Int, modified: Int64, _ files: any FileOperations) -> UploadJournal? {
        guard let bytes = (try? files.content(of: path, limit: 1 << 20)) ?? nil,
            let journal = try? JSONDecoder().decode(UploadJournal.self, from: Data(bytes)),
            journal.version == 1, journal.size == size, journal.modified == modified
        else { return nil }
        return journal
    }

    func store(_ path: String, _ files: any FileOperations) throws(FileError) {
        let bytes = (try? JSONEncoder().encode(self)) ?? Data()
        let name = path.split(separator: "/").last.map(String.init) ?? "upload"
        try files.replace(path, with: Array(bytes), draft: ".\(name).draft")
    }
}
