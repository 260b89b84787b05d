package import CoreNetKitEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension FileOperations {
    /// Reads until there are `count` bytes or the file ends.
    package func readAll(_ file: OpenFile, at offset: Int = 0, count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(count, 0))
        var filled = 0
        while filled < bytes.count {
            let result = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileError) in
                    try read(file, into: .init(rebasing: buffer[filled...]), at: offset + filled)
                }
            }
            let count = try result.get()
            if count <= 0 { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    /// Writes all of the bytes; after an error any part of them may have been written.
    package func writeAll(_ file: OpenFile, _ bytes: [UInt8], at offset: Int) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes { buffer in
                Result { () throws(FileError) in
                    try write(file, .init(rebasing: buffer[written...]), at: offset + written)
                }
            }
            let count = try result.get()
            // Neither progress nor an error: a device that accepts nothing.
            guard count > 0 else { throw FileError(.write, file.path, EIO) }
            written += count
        }
    }

    /// The whole content of a file; `nil` if there is no file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The maximum length of the content; a longer file is an error (`EFBIG`).
    ///   - isOwn: Whether another user's file is an error, because its content cannot be trusted.
    /// - Returns: The content.
    /// - Throws: ``FileError``.
    package func content(of path: String, limit: Int = .max, isOwn: Bool = true) throws(FileError) -> [UInt8]? {
        let file: OpenFile
        do { file = try open(path, .read) } catch {
            if error.isMissing { return nil }
            throw error
        }
        defer { close(file) }
        let status = try status(of: file)
        guard !isOwn || status.owner == geteuid() else { throw .foreign(path) }
        let size = status.size
        guard size <= limit else { throw FileError(.read, path, EFBIG) }
        return try readAll(file, count: size)
    }

    /// Creates a file in place of an existing one: the content goes to a new file of this user.
    package func createNew(_ path: String) throws(FileError) -> OpenFile {
        do { return try open(path, .create) } catch {
            guard error.exists else { throw error }
            try remove(path)
            return try open(path, .create)
        }
    }

    /// Creates a folder that only this user may enter, or checks that an existing one belongs to this user.
    package func claimFolder(_ path: String) throws(FileError) {
        do { try makeFolder(path) } catch {
            guard error.exists else { throw error }
            guard let there = try status(of: path), there.kind == .folder else {
                throw FileError(.makeFolder, path, ENOTDIR)
            }
            guard there.owner == geteuid(), there.permissions & 0o022 == 0 else { throw .foreign(path) }
        }
    }

    /// Puts a file with this content at a path: any reader finds the old content or the new one, even after a loss of
    /// power.
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist.
    ///   - bytes: The content.
    ///   - draft: The name of the draft, in the same folder, where no other writer uses the same name; `nil` for a random one.
    ///   - strength: What the content must survive; `nil` for the end of the process.
    /// - Throws: ``FileError``; then the old content is there, or the new one if only the last sync failed.
    package func replace(
        _ path: String,
        with bytes: [UInt8],
        draft: String? = nil,
        strength: SyncStrength? = .barrier
    ) throws(FileError) {
        let folder = path.folderPath
        let draftPath = draft.map { folder + "/" + $0 } ?? "\(path).\(UInt64.random(in: .min ... .max)).draft"
        let file = try createNew(draftPath)
        do {
            defer { close(file) }
            try writeAll(file, bytes, at: 0)
            if let strength { try sync(file, strength) }
        } catch {
            try? remove(draftPath)
            throw error
        }
        do { try rename(draftPath, to: path) } catch {
            try? remove(draftPath)
            throw error
        }
        if strength != nil { try syncFolder(folder) }
    }

    /// Puts a file with this content at a URL, by ``replace(_:with:draft:strength:)`` with a random draft name.
    package func replace(_ file: URL, with data: Data, strength: SyncStrength? = .barrier) throws(FileError) {
        guard file.isFileURL else { throw FileError(.open, file.absoluteString, EINVAL) }
        try replace(file.path(percentEncoded: false), with: [UInt8](data), strength: strength)
    }
}

extension String {
    /// The path of the folder that contains a path.
    package var folderPath: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
