package import CoreNetKitSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the files of a disk storage are: `<root>/<partition>/<2 digits>/<30 digits>`, bodies with a point and a name
/// behind that.
package struct DiskFolder: Sendable {
    package let root: String
    package let files: any FileOperations

    package init(root: String, files: any FileOperations) {
        self.root = root.utf8.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        self.files = files
    }

    package enum Trouble: Error, Sendable, Hashable {
        /// A link, somebody else's, or open to others' writing.
        case foreign
    }

    /// Makes the folder, or checks that it is ours.
    package func prepare() throws {
        do { try files.makeFolder(root) } catch {
            guard error.exists else { throw error }
            guard let status = try files.status(of: root), status.kind == .folder, status.owner == geteuid(),
                status.permissions & 0o022 == 0
            else { throw Trouble.foreign }
        }
    }

    /// The folder of a partition.
    package func folder(ofPartition partition: String) -> String {
        partition.isEmpty ? "\(root)/common" : "\(root)/\(Hash128(of: partition).description)"
    }

    /// The path of a resource's record.
    package func path(of key: CacheKey) -> String {
        let name = Hash128(of: key.url).description
        return "\(folder(ofPartition: key.partition))/\(name.prefix(2))/\(name.dropFirst(2))"
    }

    /// Makes the folders above a path; what is there already is fine.
    package func makeFolders(above path: String) throws(FileError) {
        let folder = path.folderPath
        for path in [folder.folderPath, folder] {
            do { try files.makeFolder(path) } catch { if !error.exists { throw error } }
        }
    }

    /// Every folder of two digits, below one partition's folder or all.
    package func leaves(ofPartition partition: String?) -> [String] {
        let tops = partition.map { [folder(ofPartition: $0)] } ?? below(root)
        return tops.flatMap { below($0) }
    }

    private func below(_ path: String) -> [String] {
        let names = (try? files.list(path)) ?? []
        return names.map { "\(path)/\($0)" }.filter { (try? files.status(of: $0))?.kind == .folder }
    }
}
