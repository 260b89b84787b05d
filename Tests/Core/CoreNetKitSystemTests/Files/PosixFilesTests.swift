import CoreNetKitSystem
import TestPace

@Suite("Real files", .paced)
struct PosixFilesTests {
    private let files = PosixFiles()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func named(_ name: String) -> String { folder[name].path }

    @Test("what was written is read back, at any offset")
    func roundTrip() throws {
        let file = try files.open(named("a"), .create)
        defer { files.close(file) }
        try files.writeAll(file, Array("hello world".utf8), at: 0)
        try files.sync(file, .barrier)
        try files.sync(file, .full)
        try files.syncFolder(folder.url.path)
        #expect(try files.readAll(file, at: 6, count: 100) == Array("world".utf8))
        try files.truncate(file, to: 5)
        #expect(try files.content(of: named("a")) == Array("hello".utf8))
        #expect(try files.status(of: file).size == 5)
    }

    @Test("files and folders are the owner's alone")
    func permissions() throws {
        try files.makeFolder(named("inner"))
        files.close(try files.open(named("inner/a"), .updateOrCreate))
        #expect(try files.status(of: named("inner"))?.permissions == 0o700)
        #expect(try files.status(of: named("inner/a"))?.permissions == 0o600)
        #expect(try files.list(named("inner")) == ["a"])
    }

    @Test("an error says what was tried, where, and the system's reason")
    func errors() throws {
        let missing = #expect(throws: FileError.self) { _ = try files.open(named("none"), .read) }
        #expect(missing?.isMissing == true)
        #expect(missing?.description == "open \(folder.url.path)/none: No such file or directory")
        let taken = #expect(throws: FileError.self) { try files.makeFolder(folder.url.path) }
        #expect(taken?.exists == true)
        #expect(try files.status(of: named("none")) == nil)
        #expect(try files.content(of: named("none")) == nil)
    }

    @Test("a link in place of a file is refused")
    func links() throws {
        files.close(try files.open(named("a"), .create))
        try FileManager.default.createSymbolicLink(atPath: named("b"), withDestinationPath: "a")
        #expect(throws: FileError.self) { _ = try files.open(named("b"), .update) }
        #expect(try files.status(of: named("b"))?.kind == .link)
    }

    @Test("a file of an earlier version that others can read is the owner's alone once it is opened to be written")
    func tightened() throws {
        let path = named("a")
        for mode in [OpenMode.update, .updateOrCreate] {
            files.close(try files.open(path, .updateOrCreate))
            #expect(chmod(path, 0o666) == 0)
            files.close(try files.open(path, .read))
            #expect(try files.status(of: path)?.permissions == 0o666)
            files.close(try files.open(path, mode))
            #expect(try files.status(of: path)?.permissions == 0o600)
        }
    }

    @Test(
        "a file or folder of another user is neither continued nor replaced, and its content is not one's own",
        .enabled(if: geteuid() == 0, "only root can give a file away")
    )
    func foreign() throws {
        let path = named("a")
        try files.replace(path, with: [1], draft: "draft")
        #expect(chown(path, 1, 1) == 0 && chmod(path, 0o666) == 0)
        for mode in [OpenMode.update, .updateOrCreate] {
            #expect(throws: FileError.foreign(path)) { try files.open(path, mode) }
        }
        #expect(throws: FileError.foreign(path)) { try files.replace(path, with: [2], draft: "draft") }
        #expect(throws: FileError.foreign(path)) { try files.content(of: path) }
        #expect(try files.content(of: path, isOwn: false) == [1])
        #expect(try files.list(folder.url.path) == ["a"])
        let inner = named("inner")
        try files.claimFolder(inner)
        try files.claimFolder(inner)
        #expect(chmod(inner, 0o777) == 0)
        #expect(throws: FileError.foreign(inner)) { try files.claimFolder(inner) }
        #expect(chmod(inner, 0o700) == 0 && chown(inner, 1, 1) == 0)
        #expect(throws: FileError.foreign(inner)) { try files.claimFolder(inner) }
    }

    @Test("a draft that is there already, or a link in its place, is not written to", arguments: [true, false])
    func planted(isLink: Bool) throws {
        let (path, draft, victim) = (named("a"), named("draft"), named("victim"))
        try files.replace(victim, with: [7])
        if isLink {
            try FileManager.default.createSymbolicLink(atPath: draft, withDestinationPath: "victim")
        } else {
            try files.link(victim, as: draft)
        }
        #expect(chmod(victim, 0o666) == 0)
        try files.replace(path, with: [1], draft: "draft")
        #expect(try files.content(of: path) == [1] && files.content(of: victim) == [7])
        #expect(try files.status(of: path)?.permissions == 0o600)
    }

    @Test(
        "a lock has one owner, and ends with its file, even if a process that is being started also has the descriptor"
    )
    func locks() throws {
        let first = try files.open(named("lock"), .updateOrCreate)
        let second = try files.open(named("lock"), .updateOrCreate)
        #expect(try files.tryLock(first))
        #expect(try !files.tryLock(second))
        // As a child has it between fork and exec.
        let copy = dup(first.number)
        defer { close(copy) }
        files.close(first)
        #expect(try files.tryLock(second))
        files.close(second)
    }

    @Test("what cannot be synced or locked is an error; a folder that does not support sync is not")
    func refusals() throws {
        let closed = OpenFile(number: -1, path: "closed")
        for durability in [SyncDurability.barrier, .full] {
            let unsynced = #expect(throws: FileError.self) { try files.sync(closed, durability) }
            #expect(unsynced?.description.hasPrefix("sync closed") == true)
        }
        let unlocked = #expect(throws: FileError.self) { _ = try files.tryLock(closed) }
        #expect(unlocked?.description.hasPrefix("lock closed") == true)
        #if os(Linux)
            try files.syncFolder("/proc")
        #endif
    }

    @Test("a file is replaced at a URL, too, which must be a file's")
    func replaceURL() throws {
        try files.replace(folder["a b"], with: Data("one".utf8))
        try files.replace(folder["a b"], with: Data("two".utf8))
        #expect(try files.content(of: named("a b")) == Array("two".utf8))
        #expect(try files.list(folder.url.path) == ["a b"])
        let web = try #require(URL(string: "https://a.test\(folder.url.path)/c"))
        let refused = FileError(.open, web.absoluteString, EINVAL)
        #expect(throws: refused) { try files.replace(web, with: Data()) }
        #expect(try files.list(folder.url.path) == ["a b"])
    }

    @Test("names count: a file removed while open has none")
    func names() throws {
        let file = try files.open(named("a"), .create)
        defer { files.close(file) }
        try files.link(named("a"), as: named("b"))
        #expect(try files.status(of: file).linkCount == 2)
        try files.remove(named("a"))
        try files.remove(named("b"))
        #expect(try files.status(of: file).linkCount == 0)
    }

    @Test("work on a file queue runs in order, off the tasks' threads")
    func queue() async {
        let worker = FileWorker("test")
        var results: [Int] = []
        for number in 0..<10 { results.append(await worker.run { number * 2 }) }
        #expect(results == (0..<10).map { $0 * 2 })
    }
}
