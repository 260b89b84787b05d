import CoreNetKitSystem
import FileModel
import TestPace
import Testing

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
            try files.replace("/f/a", with: Array(content.utf8), draft: "a.draft", strength: .full)
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
            try files.replace("/f/a", with: Array("old".utf8), draft: "a.draft", strength: .full)
            files.stop(atCall: call)
            try? files.replace("/f/a", with: Array("newer".utf8), draft: "a.draft", strength: .full)
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
