import CoreNetKitSystem
import FileModel
import TestPace

@Suite("The disk model", .paced)
struct ModelFilesTests {
    private let files = ModelFiles()

    private func write(_ text: String, to path: String) throws -> OpenFile {
        let file = try files.open(path, .updateOrCreate)
        try files.writeAll(file, Array(text.utf8), at: 0)
        return file
    }

    private func text(_ files: ModelFiles, _ path: String) -> String? {
        files.bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a killed process leaves what it wrote")
    func kill() throws {
        _ = try write("one", to: "/a")
        #expect(text(files.afterKill(), "/a") == "one")
    }

    @Test("a loss of power leaves what was synced, names too only then")
    func power() throws {
        let file = try write("one", to: "/a")
        try files.sync(file, .full)
        #expect(text(files.afterPowerLoss { $0 = false }, "/a") == nil)
        try files.syncFolder("/")
        #expect(text(files.afterPowerLoss { $0 = false }, "/a") == "one")
        try files.writeAll(file, Array("two!".utf8), at: 0)
        #expect(text(files.afterPowerLoss { $0 = false }, "/a") == "one")
        #expect(text(files.afterPowerLoss { $0 = true }, "/a") == "two!")
    }

    @Test("of a long write any sectors may be there")
    func sectors() throws {
        let file = try files.open("/a", .create)
        try files.syncFolder("/")
        try files.writeAll(file, [UInt8](repeating: 1, count: 1500), at: 0)
        var count = 0
        let after = files.afterPowerLoss { isKept in
            isKept = count == 1
            count += 1
        }
        #expect(count == 3)
        #expect(after.bytes(of: "/a")?.count == 1024)
        #expect(after.bytes(of: "/a")?.prefix(512).allSatisfy { $0 == 0 } == true)
    }

    @Test("after a failed sync the bytes are seen and never reach the disk")
    func failedSync() throws {
        let file = try write("one", to: "/a")
        try files.syncFolder("/")
        files.fail { operation, _ in operation == .sync ? EIO : nil }
        #expect(throws: FileError.self) { try files.sync(file, .full) }
        files.fail { _, _ in nil }
        try files.sync(file, .full)
        #expect(text(files, "/a") == "one")
        #expect(text(files.afterPowerLoss { $0 = true }, "/a") == "")
    }

    @Test("a stop happens inside a call, and nothing works after it")
    func stop() throws {
        files.stop(atCall: 2)
        let error = #expect(throws: FileError.self) { _ = try write("four", to: "/a") }
        #expect(error?.number == ModelFiles.stopped)
        #expect(throws: FileError.self) { _ = try files.list("/") }
        #expect(text(files.afterKill(), "/a") == "fo")
    }

    @Test("a full disk takes what fits")
    func full() throws {
        files.limit(capacity: 3)
        let error = #expect(throws: FileError.self) { _ = try write("four", to: "/a") }
        #expect(error?.isFull == true)
        #expect(text(files, "/a") == "fou")
    }

    @Test("short transfers are continued")
    func short() throws {
        files.limit(transfers: 2)
        let file = try write("hello", to: "/a")
        #expect(try files.readAll(file, count: 10) == Array("hello".utf8))
    }

    @Test("a rename is there whole or not at all")
    func rename() throws {
        try files.sync(try write("old", to: "/a"), .full)
        try files.sync(try write("new", to: "/b"), .full)
        try files.syncFolder("/")
        try files.rename("/b", to: "/a")
        #expect(text(files.afterPowerLoss { $0 = false }, "/a") == "old")
        #expect(text(files.afterPowerLoss { $0 = false }, "/b") == "new")
        #expect(text(files.afterPowerLoss { $0 = true }, "/a") == "new")
        #expect(text(files.afterPowerLoss { $0 = true }, "/b") == nil)
    }
}

@Suite("A replaced file", .paced)
struct ReplaceTests {
    private let files: ModelFiles

    init() throws { files = try Self.disk() }

    private static func disk() throws -> ModelFiles {
        let files = ModelFiles()
        try files.makeFolder("/f")
        try files.syncFolder("/")
        return files
    }

    private func text(_ files: ModelFiles) -> String? {
        files.bytes(of: "/f/a").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("is the new one after the call, whatever a loss of power leaves", arguments: [true, false])
    func done(keepsAll: Bool) throws {
        for content in ["one", "two, longer", "3"] {
            try files.replace("/f/a", with: Array(content.utf8), draft: "a.draft", durability: .full)
            let after = files.afterPowerLoss { $0 = keepsAll }
            #expect(text(after) == content)
            #expect(after.bytes(of: "/f/a.draft") == nil)
        }
    }

    @Test("is the old one or the new one, whole, wherever it was stopped", arguments: [true, false])
    func stopped(keepsAll: Bool) throws {
        var seen: Set<String?> = []
        for call in 1...40 {
            let files = try Self.disk()
            try files.replace("/f/a", with: Array("old".utf8), draft: "a.draft", durability: .full)
            files.stop(atCall: call)
            try? files.replace("/f/a", with: Array("newer".utf8), draft: "a.draft", durability: .full)
            seen.insert(text(files.afterPowerLoss { $0 = keepsAll }))
        }
        #expect(seen == ["old", "newer"])
    }

    @Test("is the old one, without a draft, if the new one could not be written")
    func failing() throws {
        try files.replace("/f/a", with: Array("old".utf8), draft: "a.draft")
        for failing in [FileError.Operation.open, .write, .sync, .rename] {
            files.fail { operation, _ in operation == failing ? 5 : nil }
            #expect(throws: FileError.self) { try files.replace("/f/a", with: Array("new".utf8), draft: "a.draft") }
            files.fail { _, _ in nil }
            #expect(text(files) == "old")
            #expect(files.bytes(of: "/f/a.draft") == nil)
        }
    }
}
