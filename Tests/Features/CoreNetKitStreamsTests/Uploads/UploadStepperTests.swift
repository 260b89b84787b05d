import FileModel
import TestSupport

@testable import CoreNetKitStreams

@Suite("Uploads: from request to request", .timeLimit(.minutes(10)), .paced)
struct UploadStepperTests {
    private let base: URL

    init() throws { base = try #require(URL(string: "http://h/files")) }

    /// Takes a response, which leads to a request with these bytes if they are given.
    private func accept(
        _ stepper: inout UploadStepper,
        _ status: Int,
        _ headers: Headers = [:],
        sends next: Range<Int>? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let step = try #require(stepper.step)
        try stepper.accept(UploadReply(FailedResponse(status: status, headers: headers, url: base)), to: step)
        if let next { #expect(stepper.step?.body == next, sourceLocation: location) }
    }

    @Test("a smaller offset than was sent rewinds; a larger one skips")
    func rewinds() throws {
        var stepper = UploadStepper(.draft(), size: 100, location: URL(string: "http://h/files/1"))
        #expect(stepper.step?.method == .head)
        try accept(&stepper, 204, ["Upload-Offset": "60", "Upload-Complete": "?0"], sends: 60..<100)
        try accept(&stepper, 409, ["Upload-Offset": "20"], sends: 20..<100)
        try accept(&stepper, 409, ["Upload-Offset": "80"], sends: 80..<100)
        try accept(&stepper, 400, ["Upload-Complete": "?1"])
        #expect(stepper.isDone)
    }

    @Test(
        "an invalid offset, or one after the end, is an error",
        arguments: [nil, "x", "-1", "101", "99999999999999999999"]
    )
    func badOffsets(_ offset: String?) throws {
        for method in [UploadMethod.tus(), .draft()] {
            var stepper = UploadStepper(method, size: 100, location: base)
            var headers: Headers = [:]
            headers["Upload-Offset"] = offset
            let error = #expect(throws: UploadError.self) { try accept(&stepper, 200, headers) }
            #expect(error?.code == .unusableResponse)
        }
    }

    @Test("413 makes the parts smaller, and the server's limit counts")
    func limits() throws {
        var stepper = UploadStepper(.draft(isCareful: true), size: 1 << 20)
        try accept(&stepper, 201, ["Location": "/files/1", "Upload-Limit": "max-size=9999999, max-append-size=300000"])
        #expect(stepper.step?.body == 0..<300_000)
        #expect(stepper.step?.headers["Upload-Complete"] == "?0")
        try accept(&stepper, 413)
        try accept(&stepper, 204, ["Upload-Offset": "0"], sends: 0..<150_000)
        try accept(&stepper, 201, ["Upload-Offset": "150000", "Upload-Complete": "?0"])
        #expect(stepper.offset == 150_000)
    }

    @Test("a late, repeated or moved 104 is taken as it comes")
    func interim() throws {
        var stepper = UploadStepper(.draft(), size: 10)
        let places = ["/files/1", "/files/2"].map { InterimResponse(status: 104, headers: ["Location": $0]) }
        try stepper.exchangeFailed([InterimResponse(status: 103), places[0]], base: base)
        #expect(stepper.step?.url?.absoluteString == "http://h/files/1")
        try stepper.exchangeFailed([places[0], places[1]], base: base)
        #expect(stepper.step?.url?.absoluteString == "http://h/files/2")
        #expect(stepper.step?.method == .head)
    }

    @Test("repeated attempts without progress are given up")
    func stuck() {
        var stepper = UploadStepper(.tus(), size: 10, location: base)
        let error = #expect(throws: UploadError.self) {
            for _ in 0..<20 { try stepper.exchangeFailed([], base: nil) }
        }
        #expect(error?.code == .stuck)
    }

    @Test(
        "one response is the end: of a server that knows nothing of the draft, to an empty file, or if the last was lost",
        arguments: [
            (.draft(), 10, false, [:]), (.tus(), 0, false, ["Location": "/files/1"]),
            (.draft(), 0, false, ["Upload-Complete": "?1"]), (.tus(), 10, true, ["Upload-Offset": "10"]),
            (.draft(), 10, true, ["Upload-Offset": "10", "Upload-Complete": "?1"]),
        ] as [(UploadMethod, Int, Bool, Headers)]
    )
    func single(method: UploadMethod, size: Int, isCreated: Bool, headers: Headers) throws {
        var stepper = UploadStepper(method, size: size, location: isCreated ? base : nil)
        try accept(&stepper, isCreated || method == .draft() ? 200 : 201, headers)
        #expect(stepper.isDone)
    }

    @Test("content that fits into one part comes with the creation, and other content does not")
    func creation() {
        #expect(UploadStepper(.draft(chunk: 10), size: 10).step?.body == 0..<10)
        #expect(UploadStepper(.draft(chunk: 9), size: 10).step?.body.isEmpty == true)
    }

    @Test("a response that says that the upload is not complete is not its end, even to the last part")
    func incomplete() throws {
        var stepper = UploadStepper(.draft(), size: 100, location: base)
        try accept(&stepper, 204, ["Upload-Offset": "0"])
        try accept(&stepper, 201, ["Upload-Offset": "60", "Upload-Complete": "?0"])
        #expect(!stepper.isDone && stepper.step?.body == 60..<100)
        try accept(&stepper, 200)
        #expect(stepper.isDone)
    }

    // MARK: - Versions of the draft

    @Test("each request says its version", arguments: UploadMethod.Interop.allCases)
    func version(interop: UploadMethod.Interop) throws {
        var stepper = UploadStepper(.draft(isCareful: true, interop: interop), size: 10)
        for (status, headers) in [(201, ["Location": "/files/1"]), (500, [:]), (204, ["Upload-Offset": "5"])]
            as [(Int, Headers)]
        {
            #expect(stepper.step?.headers["Upload-Draft-Interop-Version"] == "\(interop.rawValue)")
            try accept(&stepper, status, headers)
        }
        #expect(stepper.step?.body == 5..<10)
    }

    @Test("a 104 of another version offers nothing", arguments: UploadMethod.Interop.allCases)
    func otherInterim(interop: UploadMethod.Interop) throws {
        var stepper = UploadStepper(.draft(interop: interop), size: 10)
        for version in [5, 7, interop.rawValue] {
            let headers: Headers = ["Location": "/files/\(version)", "Upload-Draft-Interop-Version": "\(version)"]
            try stepper.exchangeFailed([InterimResponse(status: 104, headers: headers)], base: base)
        }
        #expect(stepper.step?.url?.absoluteString == "http://h/files/\(interop.rawValue)")
    }

    @Test("version 6: a success continues at the offset that it reports")
    func reportedOffset() throws {
        var stepper = UploadStepper(.draft(interop: .version6), size: 100)
        try accept(&stepper, 201, ["Location": "/files/1", "Upload-Offset": "60"], sends: 60..<100)
        try accept(&stepper, 201, ["Upload-Offset": "80"], sends: 80..<100)
        try accept(&stepper, 201, ["Upload-Offset": "100"])
        #expect(stepper.isDone)
    }

    @Test("version 6: a part whose success reports no offset is asked for")
    func missingOffset() throws {
        var stepper = UploadStepper(.draft(chunk: 40, interop: .version6), size: 100, location: base)
        try accept(&stepper, 204, ["Upload-Offset": "0", "Upload-Complete": "?0"])
        try accept(&stepper, 201, ["Upload-Complete": "?0"])
        #expect(stepper.step?.method == .head)
    }

    @Test("later versions: a success means all of a part", arguments: [.version8, .version9] as [UploadMethod.Interop])
    func wholeParts(interop: UploadMethod.Interop) throws {
        var stepper = UploadStepper(.draft(chunk: 40, interop: interop), size: 100, location: base)
        try accept(&stepper, 204, ["Upload-Offset": "0", "Upload-Complete": "?0"])
        try accept(&stepper, 204, ["Upload-Complete": "?0"], sends: 40..<80)
        try accept(&stepper, 200, sends: 80..<100)
        try accept(&stepper, 204, ["Upload-Complete": "?0"])
        #expect(stepper.step?.method == .head)
    }

    @Test("version 9: a success to the last bytes is the end only if it says so")
    func explicitEnd() throws {
        var stepper = UploadStepper(.draft(interop: .version9), size: 100, location: base)
        try accept(&stepper, 204, ["Upload-Offset": "40", "Upload-Complete": "?0"])
        try accept(&stepper, 200)
        #expect(stepper.step?.method == .head)
        try accept(&stepper, 204, ["Upload-Offset": "100", "Upload-Complete": "?0"])
        #expect(stepper.step?.body == 100..<100 && stepper.step?.headers["Upload-Complete"] == "?1")
        try accept(&stepper, 200, ["Upload-Complete": "?1"])
        #expect(stepper.isDone)
    }
}

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
            try files.store(checkpoint, at: "/a/b/\(name)")
            #expect(UploadCheckpoint.read("/a/b/\(name)", fingerprint: "e", files) == checkpoint)
        }
        let drafts = touched.withLock { $0.filter { $0.hasSuffix(".draft") } }
        #expect(drafts == ["/a/b/.one.draft", "/a/b/.two.draft"])
        #expect(files.paths.sorted() == ["/a/b/file", "/a/b/one", "/a/b/two"])
    }
}
