import TestSupport

@Suite("Downloads of killed processes", .timeLimit(.minutes(10)), .paced)
struct DownloadKillTests: DownloadSuite {
    private static let size = 200_000

    let host: FileHost

    init() throws { host = try FileHost(FileHost.content(Self.size)) }

    private func download() throws -> ChildProcess {
        try ChildProcess(ChildProcess.probe, ["download", host.url.absoluteString, target.path], in: folder)
    }

    private func partSize() -> Int { (try? PosixFiles().status(of: target.path + ".part"))?.size ?? 0 }

    /// Waits until the part has so many bytes.
    private func waitForPart(_ size: Int) async throws {
        for _ in 0..<2_000 where partSize() < size {
            // Real time: who writes is another process.
            try await Task.sleep(for: .milliseconds(2))
        }
        try #require(partSize() >= size)
    }

    @Test(
        "kill −9 at every tenth of a file: the next process continues there, and the bytes are equal",
        .enabled(if: ChildProcess.probe != nil)
    )
    func tenths() async throws {
        for tenth in 1...9 {
            host.settings.withLock { $0.change = { $1.fault(.stall(.inBody(Self.size / 10))) } }
            let child = try download()
            try await waitForPart(Self.size / 10 * tenth)
            await child.kill()
            #expect(!FileManager.default.fileExists(atPath: target.path), "nothing looks complete")
        }
        host.settings.withLock { $0.change = nil }
        let last = try download()
        #expect(await last.text() == "size \(Self.size) reused \(Self.size / 10 * 9)\n")
        #expect(try Data(contentsOf: target) == Data(content))
        let starts = host.ranges.compactMap { $0 }.map { $0.filter(\.isNumber) }
        #expect(starts == (1...9).map { "\($0 * Self.size / 10)" }, "no byte was asked for twice")
    }

    @Test(
        "of two processes one writes to a target; when it is killed the other one can",
        .enabled(if: ChildProcess.probe != nil)
    )
    func twoProcesses() async throws {
        host.settings.withLock { $0.change = { $1.fault(.stall(.inBody(80_000))) } }
        let first = try download()
        try await waitForPart(80_000)
        let second = try download()
        #expect(await second.text().contains("targetBusy"))
        #expect(host.server.requests.count == 1, "who is refused asks for nothing")
        await first.kill()
        host.settings.withLock { $0.change = nil }
        let third = try download()
        #expect(await third.text() == "size \(Self.size) reused 80000\n")
        #expect(try Data(contentsOf: target) == Data(content))
    }
}

extension ChildProcess {
    static let probe = TestProgram.named("ResumeProbe")
}
