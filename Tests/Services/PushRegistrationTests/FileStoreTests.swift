import FileModel
import PushRegistration
import TestSupport

@Suite("The file store", .timeLimit(.minutes(10)), .paced)
struct FileStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("what set has written survives a loss of power within any later call; nothing is partial", arguments: 0...7)
    func powerLoss(seed: UInt64) throws {
        let whole = ModelFiles()
        try write(FileStore(path: "/push.json", files: whole), 1...2)
        #expect(whole.calls > 8)
        for call in 1...whole.calls {
            let files = ModelFiles()
            files.stop(atCall: call)
            let written = (try? write(FileStore(path: "/push.json", files: files), 1...2)) ?? 0
            var random = SplitMix64(seed: seed &* 1000 &+ UInt64(call))
            let after = files.afterPowerLoss { $0 = Bool.random(using: &random) }
            let store = FileStore(path: "/push.json", files: after)
            let value = try store.string(for: "optOut").flatMap { Int($0) } ?? 0
            #expect(value >= written, "stopped in call \(call): \(value) after \(written) was kept")
            #expect(try store.string(for: "other") == (value == 0 ? nil : "x"))
        }
    }

    @Test("a full, broken or read-only disk is an error, and the old text stays", arguments: [28, 5, 30])
    func faults(number: Int32) throws {
        let operations: [FileError.Operation] = [.open, .write, .sync, .syncFolder, .rename]
        for operation in operations {
            let files = ModelFiles()
            let store = FileStore(path: "/push.json", files: files)
            try store.set("1", for: "optOut")
            files.fail { tried, path in tried == operation && !path.hasSuffix(".lock") ? number : nil }
            #expect(throws: FileStore.Failure.self, "\(operation)") { try store.set("2", for: "optOut") }
            files.fail { _, _ in nil }
            // The new text may be there if only the last sync failed, but never none.
            #expect(["1", "2"].contains(try store.string(for: "optOut")), "\(operation)")
            try store.set("3", for: "optOut")
            #expect(try FileStore(path: "/push.json", files: files).string(for: "optOut") == "3")
        }
    }

    @Test("a read failure other than \"no such file\" is an error: such a store is not empty", arguments: [13, 5, 40])
    func unreadable(number: Int32) throws {
        let files = ModelFiles()
        let store = FileStore(path: "/push.json", files: files)
        try store.set("1", for: "optOut")
        files.fail { operation, path in operation == .open && path.hasSuffix(".json") ? number : nil }
        #expect(throws: FileStore.Failure.self) { try store.string(for: "optOut") }
        #expect(throws: FileStore.Failure.self) { try store.set("2", for: "other") }
        files.fail { _, _ in nil }
        #expect(try store.string(for: "optOut") == "1")
    }

    @Test("flipped bytes anywhere in one of the two files lose nothing")
    func damage() throws {
        let files = ModelFiles()
        let store = FileStore(path: "/push.json", files: files)
        try store.set("-2", for: "optOut")
        let count = files.bytes(of: "/push.json")?.count ?? 0
        for index in 0..<count {
            for name in ["/push.json", "/push.json.twin"] {
                let good = files.bytes(of: name) ?? []
                files.change(name) { $0[index] = 0 }
                #expect(try store.string(for: "optOut") == "-2", "\(name) \(index)")
                files.change(name) { $0 = good }
            }
        }
    }

    @Test("stores that each open the file themselves, as processes do, lose none of each other's keys")
    func processes() throws {
        let file = folder["store.json"]
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            let store = FileStore(file: file)
            for index in 0..<15 { try? store.set("x", for: "\(writer).\(index)") }
        }
        let store = FileStore(file: file)
        for writer in 0..<4 {
            for index in 0..<15 { #expect(try store.string(for: "\(writer).\(index)") == "x") }
        }
        #expect(folder.names == ["store.json", "store.json.lock", "store.json.twin"])
    }

    @Test(
        "a damaged file is replaced by its twin; if both are damaged, it is set aside and the store works",
        arguments: ["", "{", "[]"]
    )
    func damagedFile(text: String) throws {
        let file = folder["store.json"]
        let store = FileStore(file: file)
        try store.set("1", for: "a")
        try Data(text.utf8).write(to: file)
        #expect(try store.string(for: "a") == "1")
        try store.set("2", for: "b")
        #expect(try FileStore(file: file).string(for: "a") == "1")
        try Data(text.utf8).write(to: file)
        try Data(text.utf8).write(to: folder["store.json.twin"])
        #expect(try store.string(for: "a") == nil)
        try store.set("3", for: "a")
        #expect(try FileStore(file: file).string(for: "a") == "3")
        #expect(FileManager.default.fileExists(atPath: folder["store.json.damaged"].path))
    }

    @Test("only the owner can read the file of a store, and no draft is left")
    func permissions() throws {
        let file = folder["push store.json"]
        try FileStore(file: file).set("1", for: "a")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(folder.names == ["push store.json", "push store.json.lock", "push store.json.twin"])
        #expect(throws: FileStore.Failure.self) { try FileStore(file: folder["no/such/file"]).set("1", for: "a") }
    }

    /// Writes numbers one after another; returns the last one that was stored.
    @discardableResult
    private func write(_ store: FileStore, _ numbers: ClosedRange<Int>) throws -> Int {
        for number in numbers {
            do {
                try store.transaction { store in
                    try store.set(String(number), for: "optOut")
                    try store.set("x", for: "other")
                }
            } catch {
                if number == numbers.lowerBound { throw error }
                return number - 1
            }
        }
        return numbers.upperBound
    }
}
