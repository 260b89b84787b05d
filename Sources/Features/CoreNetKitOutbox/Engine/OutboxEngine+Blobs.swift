import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension OutboxEngine {
    /// A body ready to be stored: inside the record, or in a file that is locked against removal while it is open.
    typealias StagedBody = (bytes: [UInt8], file: OpenFile?)

    var blobFolder: String { folder + "/blobs" }

    func blobPath(_ name: String) -> String { blobFolder + "/" + name }

    func stage(_ body: RequestBody, for head: inout EntryHead) async throws -> StagedBody {
        guard body.trailers.isEmpty else {
            let message = "the outbox cannot store the trailers of a body; set the fields in the head"
            throw OutboxError(.invalidRequest, message)
        }
        let limit = min(options.limits.longestInlineBody, LogRecord.longestPayload / 2)
        switch body.content {
        case .empty: return ([], nil)
        case .bytes(let data) where data.count <= limit:
            head.hasBody = true
            return ([UInt8](data), nil)
        case .bytes(let data): return try await stageBlob(&head) { writer in try writer.add([UInt8](data)) }
        case .file(let url): return try await stageBlob(&head) { writer in try self.copy(url.path, to: &writer) }
        case .stream(_, _, let open, _):
            return try await stageBlob(&head) { writer in
                for try await chunk in open() { try writer.add([UInt8](chunk)) }
            }
        }
    }

    private func stageBlob(
        _ head: inout EntryHead,
        _ fill: (inout BlobWriter) async throws -> Void
    ) async throws -> StagedBody {
        var writer = try beginBlob(head.id)
        do {
            try await fill(&writer)
            head.blob = try writer.finish(durability: options.durability.syncDurability)
            if options.durability != .written { try files.syncFolder(blobFolder) }
            return ([], writer.file)
        } catch {
            files.close(writer.file)
            try? files.remove(writer.file.path)
            switch error {
            case let error as OutboxError: throw error
            case let error as FileError:
                throw OutboxError(.storage, "the body cannot be stored: \(error)", cause: error)
            default: throw OutboxError(.invalidRequest, "the body cannot be read: \(error)", cause: error)
            }
        }
    }

    /// Removes the file of an entry that was not stored; the one of an uncertain entry is still needed.
    func discardBlob(of head: EntryHead, after error: any Error) {
        guard let blob = head.blob, (error as? OutboxError)?.code != .uncertain else { return }
        try? files.remove(blobPath(blob.name))
    }

    private func beginBlob(_ id: UUID) throws(OutboxError) -> BlobWriter {
        do throws(FileError) {
            if try files.status(of: blobFolder) == nil {
                do { try files.makeFolder(blobFolder) } catch { if !error.exists { throw error } }
                try files.syncFolder(folder)
            }
            let file = try files.open(blobPath(id.uuidString), .create)
            _ = try files.tryLock(file)
            return BlobWriter(file: file, files: files, limit: options.limits.blobBytes)
        } catch {
            throw OutboxError(.storage, "the body cannot be stored: \(error)", cause: error)
        }
    }

    private func copy(_ path: String, to writer: inout BlobWriter) throws {
        let source = try files.open(path, .read)
        defer { files.close(source) }
        guard try files.status(of: source).kind == .file else {
            throw OutboxError(.invalidRequest, "the body is not a file: \(path)")
        }
        var offset = 0
        while true {
            let piece = try files.readAll(source, at: offset, count: 256 << 10)
            if piece.isEmpty { return }
            try writer.add(piece)
            offset += piece.count
        }
    }

    /// The file of a body, if its content is unchanged.
    func checkedBlob(_ blob: EntryHead.Blob) throws(OutboxError) -> RequestBody {
        let path = blobPath(blob.name)
        do throws(FileError) {
            let file = try files.open(path, .read)
            defer { files.close(file) }
            var hash = SHA256()
            var offset = 0
            while true {
                let piece = try files.readAll(file, at: offset, count: 256 << 10)
                if piece.isEmpty { break }
                hash.update(piece)
                offset += piece.count
            }
            guard offset == blob.byteCount, Hex.encode(hash.digest) == blob.digest else {
                throw FileError(.read, path, 0)
            }
        } catch {
            guard error.isMissing || error.number == 0 else { throw OutboxError(.notReady, "\(error)") }
            throw OutboxError(.damaged, "the stored body was changed or removed")
        }
        return .file(URL(filePath: path))
    }

    func removeFinishedBlobs() {
        for name in syncing.finishedBlobs { try? files.remove(blobPath(name)) }
        syncing.finishedBlobs = []
    }

    /// Removes files without an entry, left by processes that were killed: one that is about to be stored is locked, an
    /// entry that is not known here yet is in an inbox.
    func removeStrayBlobs() {
        guard let names = try? files.list(blobFolder), !names.isEmpty else { return }
        let known = { Set(self.index.entries.values.compactMap(\.blob?.name)) }
        let candidates = names.filter { !known().contains($0) && isUnlocked(blobPath($0)) }
        guard !candidates.isEmpty, let isComplete = try? adoptInboxes(), isComplete else { return }
        let used = known()
        for name in candidates where !used.contains(name) { try? files.remove(blobPath(name)) }
    }

    private func isUnlocked(_ path: String) -> Bool {
        guard let file = try? files.open(path, .read) else { return false }
        defer { files.close(file) }
        return (try? files.tryLock(file)) ?? false
    }
}

/// Writes a body to its file and hashes it meanwhile.
struct BlobWriter {
    let file: OpenFile
    let files: any FileOperations
    let limit: Int
    private(set) var count = 0
    private(set) var hash = SHA256()

    mutating func add(_ bytes: [UInt8]) throws {
        guard count + bytes.count <= limit else {
            throw OutboxError(.tooLarge, "the body is longer than the \(limit) bytes that the outbox keeps in files")
        }
        try files.writeAll(file, bytes, at: count)
        hash.update(bytes)
        count += bytes.count
    }

    func finish(durability: SyncDurability?) throws(FileError) -> EntryHead.Blob {
        if let durability { try files.sync(file, durability) }
        let name = String(file.path.split(separator: "/").last ?? "")
        return EntryHead.Blob(name: name, byteCount: count, digest: Hex.encode(hash.digest))
    }
}
