package import CoreNetKitSystem

/// Where the files of a disk storage are: `<root>/v2/<partition>/<2 digits>/<30 digits>`, bodies with a point and a name
/// behind that.
///
/// Each version of the format has a folder of its own, the first one the root itself: programs of different versions
/// leave each other's records alone. What an older one has left is trimmed with the rest.
package struct DiskFolder: Sendable {
    package let root: String
    package let files: any FileOperations
    /// Where this version's files are.
    package var base: String { "\(root)/v2" }

    package init(root: String, files: any FileOperations) {
        self.root = root.utf8.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        self.files = files
    }

    /// Makes the folder, or checks that it is this user's.
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

    /// Where the first version of the format had records of some resources, of any partition: whoever marks a URL, nobody's
    /// record of it is to be used.
    ///
    /// The root is read once, whatever the number of resources; without an old partition in it there is nothing to do.
    package func oldPaths(of keys: [CacheKey]) -> [String] {
        let partitions = ((try? files.list(root)) ?? []).filter(Self.isPartition)
        return partitions.flatMap { name in keys.map { path(of: $0, in: "\(root)/\(name)") } }
    }

    /// Whether a name is one that ``name(ofPartition:)`` gives.
    private static func isPartition(_ name: String) -> Bool {
        name == "common" || name.utf8.count == 32 && name.utf8.allSatisfy { $0 != UInt8(ascii: ".") }
    }

    private func path(of key: CacheKey, in folder: String) -> String {
        let name = Hash128(of: key.url).description
        return "\(folder)/\(name.prefix(2))/\(name.dropFirst(2))"
    }

    /// Makes the folders above a path; what is there already is fine.
    package func makeFolders(above path: String) throws(FileError) {
        let folder = path.folderPath
        for path in [folder.folderPath, folder] {
            do { try files.makeFolder(path) } catch { if !error.exists { throw error } }
        }
    }

    /// Every folder of two digits, below one partition's folder or all, those of older versions included.
    package func leaves(ofPartition partition: String?) -> [String] {
        let tops = partition.map { [folder(ofPartition: $0), "\(root)/\(Self.name(ofPartition: $0))"] }
        return (tops ?? below(base) + below(root).filter { $0 != base }).flatMap { below($0) }
    }

    private func below(_ path: String) -> [String] {
        let names = (try? files.list(path)) ?? []
        return names.map { "\(path)/\($0)" }.filter { (try? files.status(of: $0))?.kind == .folder }
    }
}
