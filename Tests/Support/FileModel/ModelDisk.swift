import CoreNetKitSystem
import Glibc

struct ModelDisk: Sendable {
    var calls = 0
    var stopCall: Int?
    var decide: (@Sendable (FileError.Operation, String) -> Int32?)?
    var transferLimit = Int.max
    var capacity: Int?

    private var nodes: [Int: ModelNode] = [:]
    private var folders: [String: ModelFolder] = ["/": ModelFolder()]
    private var opened: [Int32: Int] = [:]
    var openCount: Int { opened.count }
    /// Who has the lock of a node.
    private var locks: [Int: Int32] = [:]
    private var lastNode = 0
    private var lastNumber: Int32 = 100
    private(set) var isStopped = false

    // MARK: What happened

    func afterKill() -> ModelDisk {
        var disk = ModelDisk()
        (disk.nodes, disk.folders, disk.lastNode) = (nodes, folders, lastNode)
        return disk
    }

    func afterPowerLoss(_ choose: (inout Bool) -> Void) -> ModelDisk {
        var disk = ModelDisk()
        disk.folders = folders.filter { $0.value.isDurable || $0.key == "/" }.mapValues { $0.afterPowerLoss(choose) }
        disk.nodes = nodes.mapValues { $0.afterPowerLoss(choose) }
        disk.lastNode = lastNode
        return disk
    }

    var paths: [String] {
        folders.flatMap { folder in folder.value.names.keys.map { folder.key + "/" + $0 } }.sorted()
    }

    func bytes(of path: String) -> [UInt8]? { (try? node(at: path)).flatMap { nodes[$0]?.bytes } }

    mutating func change(_ path: String, _ change: (inout [UInt8]) -> Void) {
        guard let id = try? node(at: path) else { return }
        nodes[id]?.overwrite(change)
    }

    // MARK: Operations

    mutating func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile {
        try check(.open, path)
        guard folders[path] == nil || path == "/" else { throw FileError(.open, path, EISDIR) }
        guard let names = folders[path.folderPath]?.names else { throw FileError(.open, path, ENOENT) }
        let id: Int
        if let existing = names[path.lastName] {
            if case .create = mode { throw FileError(.open, path, EEXIST) }
            id = existing
        } else {
            switch mode {
            case .read, .update: throw FileError(.open, path, ENOENT)
            case .updateOrCreate, .create: break
            }
            try step(.open, path)
            lastNode += 1
            id = lastNode
            nodes[id] = ModelNode()
            setName(path, id)
        }
        lastNumber += 1
        opened[lastNumber] = id
        return OpenFile(number: lastNumber, path: path)
    }

    mutating func close(_ file: OpenFile) {
        unlock(file)
        opened[file.number] = nil
    }

    mutating func read(_ file: OpenFile, count: Int, at offset: Int) throws(FileError) -> ArraySlice<UInt8> {
        try check(.read, file.path)
        let bytes = nodes[try id(of: file, .read)]?.bytes ?? []
        guard offset < bytes.count else { return [] }
        return bytes[offset..<min(bytes.count, offset + min(count, transferLimit))]
    }

    mutating func write(_ file: OpenFile, _ bytes: [UInt8], at offset: Int) throws(FileError) -> Int {
        try check(.write, file.path)
        let id = try id(of: file, .write)
        var count = min(bytes.count, transferLimit)
        if let capacity {
            // A file that was removed takes no room, unless it is open.
            let used = nodes.reduce(0) { sum, node in
                linkCount(of: node.key) > 0 || opened.values.contains(node.key) ? sum + node.value.bytes.count : sum
            }
            let size = nodes[id]?.bytes.count ?? 0
            count = min(count, max(0, capacity - used + size - offset))
            guard count > 0 else { throw FileError(.write, file.path, ENOSPC) }
        }
        do { try step(.write, file.path) } catch {
            // Stopped within the call: half of it is done.
            if error.number == ModelFiles.stopped { nodes[id]?.write(Array(bytes[..<(count / 2)]), at: offset) }
            throw error
        }
        nodes[id]?.write(Array(bytes[..<count]), at: offset)
        return count
    }

    mutating func sync(_ file: OpenFile) throws(FileError) {
        let id = try id(of: file, .sync)
        do {
            try check(.sync, file.path)
            try step(.sync, file.path)
        } catch {
            // As Linux does: the pages count as clean from now on, though they never reached the disk.
            if error.number != ModelFiles.stopped { nodes[id]?.forgetPending() }
            throw error
        }
        nodes[id]?.sync()
    }

    mutating func syncFolder(_ path: String) throws(FileError) {
        try check(.syncFolder, path)
        guard folders[path] != nil else { throw FileError(.syncFolder, path, ENOENT) }
        try step(.syncFolder, path)
        folders[path]?.sync()
        for (name, _) in folders where name.folderPath == path { folders[name]?.isDurable = true }
    }

    mutating func truncate(_ file: OpenFile, to count: Int) throws(FileError) {
        try check(.truncate, file.path)
        let id = try id(of: file, .truncate)
        try step(.truncate, file.path)
        nodes[id]?.truncate(to: count)
    }

    mutating func rename(_ path: String, to newPath: String) throws(FileError) {
        try check(.rename, path)
        let id = try node(at: path, .rename)
        guard folders[newPath.folderPath] != nil else { throw FileError(.rename, path, ENOENT) }
        try step(.rename, path)
        folders[path.folderPath]?.rename(path.lastName, to: newPath.lastName, id)
    }

    mutating func remove(_ path: String) throws(FileError) {
        try check(.remove, path)
        _ = try node(at: path, .remove)
        try step(.remove, path)
        setName(path, nil)
    }

    mutating func link(_ path: String, as newPath: String) throws(FileError) {
        try check(.link, path)
        let id = try node(at: path, .link)
        guard folders[newPath.folderPath]?.names[newPath.lastName] == nil else {
            throw FileError(.link, newPath, EEXIST)
        }
        try step(.link, path)
        setName(newPath, id)
    }

    mutating func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        try check(.lock, file.path)
        let id = try id(of: file, .lock)
        guard let holder = locks[id], holder != file.number else {
            locks[id] = file.number
            return true
        }
        return false
    }

    mutating func unlock(_ file: OpenFile) {
        if let id = opened[file.number], locks[id] == file.number { locks[id] = nil }
    }

    mutating func status(of path: String) throws(FileError) -> FileStatus? {
        try check(.status, path)
        if folders[path] != nil { return status(.folder, size: 0, linkCount: 2, inode: path.hashValue) }
        guard let id = try? node(at: path) else { return nil }
        return status(.file, size: nodes[id]?.bytes.count ?? 0, linkCount: linkCount(of: id), inode: id)
    }

    mutating func status(of file: OpenFile) throws(FileError) -> FileStatus {
        try check(.status, file.path)
        let id = try id(of: file, .status)
        return status(.file, size: nodes[id]?.bytes.count ?? 0, linkCount: linkCount(of: id), inode: id)
    }

    mutating func list(_ path: String) throws(FileError) -> [String] {
        try check(.list, path)
        guard let folder = folders[path] else { throw FileError(.list, path, ENOENT) }
        let inner = folders.keys.filter { $0 != "/" && $0.folderPath == path }.map(\.lastName)
        return (Array(folder.names.keys) + inner).sorted()
    }

    mutating func makeFolder(_ path: String) throws(FileError) {
        try check(.makeFolder, path)
        guard folders[path] == nil else { throw FileError(.makeFolder, path, EEXIST) }
        guard folders[path.folderPath] != nil else { throw FileError(.makeFolder, path, ENOENT) }
        try step(.makeFolder, path)
        folders[path] = ModelFolder()
    }

    // MARK: Faults

    /// Every call: nothing works after the stop, and the test's faults.
    private func check(_ operation: FileError.Operation, _ path: String) throws(FileError) {
        if isStopped { throw FileError(operation, path, ModelFiles.stopped) }
        if let number = decide?(operation, path) { throw FileError(operation, path, number) }
    }

    /// Calls that change something: counted, and one of them is the last.
    private mutating func step(_ operation: FileError.Operation, _ path: String) throws(FileError) {
        calls += 1
        if let stopCall, calls >= stopCall {
            isStopped = true
            throw FileError(operation, path, ModelFiles.stopped)
        }
    }

    private func id(of file: OpenFile, _ operation: FileError.Operation) throws(FileError) -> Int {
        guard let id = opened[file.number] else { throw FileError(operation, file.path, EBADF) }
        return id
    }

    private func node(at path: String, _ operation: FileError.Operation = .status) throws(FileError) -> Int {
        guard let id = folders[path.folderPath]?.names[path.lastName] else { throw FileError(operation, path, ENOENT) }
        return id
    }

    private mutating func setName(_ path: String, _ id: Int?) { folders[path.folderPath]?.set(path.lastName, id) }

    private func linkCount(of id: Int) -> Int {
        folders.values.reduce(0) { $0 + $1.names.values.count { $0 == id } }
    }

    private func status(_ kind: FileStatus.Kind, size: Int, linkCount: Int, inode: Int) -> FileStatus {
        FileStatus(
            kind: kind,
            size: size,
            owner: geteuid(),
            permissions: kind == .folder ? 0o700 : 0o600,
            linkCount: linkCount,
            device: 1,
            inode: UInt64(truncatingIfNeeded: inode),
            modified: 0
        )
    }
}

extension String {
    var lastName: String { String(split(separator: "/").last ?? "") }
}
