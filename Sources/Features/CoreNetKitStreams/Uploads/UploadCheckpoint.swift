import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The checkpoint of an upload for another process: the upload URL, the file's identity and the request's fingerprint.
struct UploadCheckpoint: Codable, Equatable {
    var version = 2
    var location: String
    var file: FileIdentity
    /// The fingerprint of the request and its user; without secrets.
    var fingerprint: String

    /// The names in stored files, also in those of earlier versions.
    private enum CodingKeys: String, CodingKey {
        case version, location, file
        case fingerprint = "errand"
    }

    /// The checkpoint of the same request, for any file.
    static func read(_ path: String, fingerprint: String, _ files: any FileOperations) -> UploadCheckpoint? {
        guard let checkpoint = try? files.json(UploadCheckpoint.self, at: path), checkpoint.version == 2,
            checkpoint.fingerprint == fingerprint
        else { return nil }
        return checkpoint
    }

    /// A fingerprint of the request that creates an upload and of its user, because users share none; it reveals neither.
    static func fingerprint(_ step: UploadStep?, _ url: URL, _ partition: Partition) -> String {
        let fields = (step?.headers.fields ?? []).filter { !["Upload-Length", "Upload-Complete"].contains($0.name) }
        let lines = ["\(step?.method ?? .post)", url.absoluteString, partition.name]
        let text = (lines + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\n")
        return Hex.encode(SHA256.digest(Array(text.utf8)))
    }
}
