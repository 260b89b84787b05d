package import CoreNetKitSystem

/// The paths of a disk storage's files: `<root>/v2/<partition>/<2 digits>/<30 digits>`; for bodies followed by a dot and a
/// name.
///
/// Each version of the format has a folder of its own, the first one the root itself, so that programs of different versions
/// leave each other's records alone. Files of older versions are trimmed with the rest.
package struct DiskFolder: Sendable {
    package let root: String
    package let files: any FileOperations
    /// The folder of this version.
    package var base: String { "\(root)/v2" }

    package init(root: String, files: any FileOperations) {
        self.root = root.utf8.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        self.files = files
    }

    /// Creates the folder, or checks that it belongs to this user.
    package func prepare() throws(FileError) {
        try files.claimFolder(root)
        do { try files.makeFolder(base) } catch { if !error.exists { throw error } }
    }

    /// The folder of a partition.
    package func folder(ofPartition partition: String) -> String { "\(base)/\(Self.name(ofPartition: partition))" }

    private static func name(ofPartition partition: String) -> String {
        partition.isEmpty ? "common" : Hash128(of: partition).description
    }

    /// The path of a resource's record.
    package func path(of key: CacheKey) -> String { path(of: key, in: folder(ofPartition: key.partition)) }

    /// The paths where the first version of the format stored some resources, in any partition: a mark of a URL concerns the
    /// records of all users.
    ///
    /// The root is read once for any number of resources; without an old partition in it there is nothing to do.
    package func oldPaths(of keys: [CacheKey]) -> [String] {
        let partitions = ((try? files.list(root)) ?? []).filter(Self.isPartition)
        return partitions.flatMap { name in keys.map { path(of: $0, in: "\(root)/\(name)") } }
    }

    /// Whether a name can be the result of ``name(ofPartition:)``.
    private static func isPartition(_ name: String) -> Bool {
        name == "common" || name.utf8.count == 32 && name.utf8.allSatisfy { $0 != UInt8(ascii: ".") }
    }

    private func path(of key: CacheKey, in folder: String) -> String {
        let name = Hash128(of: key.url).description
        return "\(folder)/\(name.prefix(2))/\(name.dropFirst(2))"
    }

    /// Creates the folders above a path if they are missing.
    package func makeFolders(above path: String) throws(FileError) {
        let folder = path.folderPath
        for path in [folder.folderPath, folder] {
            do { try files.makeFolder(path) } catch { if !error.exists { throw error } }
        }
    }

    /// All folders of two digits, in one partition or in all, including those of older versions.
    package func leaves(ofPartition partition: String?) -> [String] {
        let tops = partition.map { [folder(ofPartition: $0), "\(root)/\(Self.name(ofPartition: $0))"] }
        return (tops ?? below(base) + below(root).filter { $0 != base }).flatMap { below($0) }
    }

    private func below(_ path: String) -> [String] {
        let names = (try? files.list(path)) ?? []
        return names.map { "\(path)/\($0)" }.filter { (try? files.status(of: $0))?.kind == .folder }
    }
}
