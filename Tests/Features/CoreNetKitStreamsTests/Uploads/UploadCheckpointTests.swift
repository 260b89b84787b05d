import CoreNetKitSystem
import FileModel
import Foundation
import TestPace
import Testing

@testable import CoreNetKitStreams

@Suite("The journal of an upload", .paced)
struct UploadCheckpointTests {
    @Test("has its own draft beside it, which no other journal of the folder has")
    func drafts() throws {
        let files = ModelFiles()
        for folder in ["/a", "/a/b"] { try files.makeFolder(folder) }
        try files.replace("/a/b/file", with: [1], draft: ".draft")
        let identity = try FileIdentity.of("/a/b/file", files)
        let touched = Locked<Set<String>>([])
        files.fail { _, path in
            touched.withLock { _ = $0.insert(path) }
            return nil
        }
        for name in ["one", "two"] {
            let checkpoint = UploadCheckpoint(location: "http://a.test/\(name)", file: identity, fingerprint: "e")
            try checkpoint.store("/a/b/\(name)", files)
            #expect(UploadCheckpoint.read("/a/b/\(name)", of: identity, fingerprint: "e", files) == checkpoint)
        }
        let drafts = touched.withLock { $0.filter { $0.hasSuffix(".draft") } }
        #expect(drafts == ["/a/b/.one.draft", "/a/b/.two.draft"])
        #expect(files.paths.sorted() == ["/a/b/file", "/a/b/one", "/a/b/two"])
    }
}
