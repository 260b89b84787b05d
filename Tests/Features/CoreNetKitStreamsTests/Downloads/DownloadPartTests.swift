import FileModel
import TestSupport

@testable import CoreNetKitStreams

@Suite("The part of a download")
struct DownloadPartTests {
    @Test(
        "is closed again when it, its lock or its sidecar cannot be read",
        arguments: [FileError.Operation.status, .lock, .open, .read]
    )
    func closed(operation: FileError.Operation) throws {
        let files = ModelFiles()
        try files.makeFolder("/d")
        try files.replace("/d/a.part.json", with: Array("{}".utf8))
        let path = operation == .open || operation == .read ? "/d/a.part.json" : "/d/a.part"
        files.fail { $0 == operation && $1 == path ? 5 : nil }
        #expect(throws: FileError.self) { try DownloadPart(for: "/d/a", files) }
        #expect(files.openCount == 0)
    }
}
