import CoreNetKit
import CoreNetKitCookies
import CoreNetKitHTTP
import Foundation

/// One of several processes that keep their cookies in one file; tests count what became of them.
///
/// Arguments: the file, a number, how many processes there are, how many milliseconds, "write" or "signOut" for what it
/// does when half of the time is over. One line at the end: stores, failed ones, damaged readings, anna's cookies.
@main
struct CookieProgram {
    let file: CookieFile
    let folder: URL
    let number: String
    let count: Int
    let jar = CookieJar()

    static func main() async {
        let words = CommandLine.arguments
        guard words.count == 6, let count = Int(words[3]), let length = Int(words[4]) else { exit(2) }
        let url = URL(fileURLWithPath: words[1])
        let folder = url.deletingLastPathComponent()
        let program = CookieProgram(file: CookieFile(at: url), folder: folder, number: words[2], count: count)
        do { try await program.run(for: .milliseconds(length), signsOut: words[5] == "signOut") } catch {
            FileHandle.standardOutput.write(Data("error \(error)\n".utf8))
            exit(1)
        }
    }

    private func run(for length: Duration, signsOut: Bool) async throws {
        try file.load(into: jar)
        let anna = client("anna", isOpen: false)
        let bob = client("bob", isOpen: true)
        // All have logged in before one signs out.
        try await call(anna, "login")
        try file.store(jar)
        try meet()
        let start = ContinuousClock.now
        var (stores, failed, damaged, round) = (0, 0, 0, 0)
        var hasSignedOut = false
        // Whoever signs out says so; the others go on until they could have heard of it.
        while ContinuousClock.now - start < length || !isMarked("signed-out") {
            round += 1
            if signsOut, !hasSignedOut, ContinuousClock.now - start > length / 2 {
                hasSignedOut = true
                _ = await anna.signOut()
                try file.store(jar)
                mark("signed-out")
            }
            // A response may come while the file is written.
            let (isIn, text) = (!hasSignedOut, "\(round)")
            let called = Task { if isIn { try await call(anna, text) } }
            stores += 1
            failed += isStored() ? 0 : 1
            try await called.value
            try await call(bob, text)
            damaged += isDamaged() ? 1 : 0
        }
        try file.store(jar)
        let left = jar.partitions.filter { $0.contains("anna") }.count
        print("stores \(stores) failed \(failed) damaged \(damaged) anna \(left) bob \(round)")
    }

    private func isStored() -> Bool { (try? file.store(jar)) != nil }

    private func isDamaged() -> Bool {
        do { try file.load(into: CookieJar()) } catch { return error == .damaged }
        return false
    }

    private func call(_ client: Client, _ text: String) async throws {
        guard let url = URL(string: "https://shop.test/\(text)") else { return }
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: client).route(.get, url).build()
        try await chain.process()
    }

    private func client(_ user: String, isOpen: Bool) -> Client {
        Client(transport: Server(name: "c\(number)", isOpen: isOpen)).cookies(jar).set(partition: Partition(user))
    }

    private func mark(_ name: String) {
        _ = FileManager.default.createFile(atPath: folder.appendingPathComponent(name).path, contents: nil)
    }

    private func isMarked(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
    }

    /// Waits for the others: whoever comes last opens the gates, each of them a pipe with a name.
    private func meet() throws {
        let gate = { (number: Int) in folder.appendingPathComponent("gate-\(number)").path }
        guard let own = Int(number), mkfifo(gate(own), 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        // For both, so that what is written stays until it is read.
        let pipe = open(gate(own), O_RDWR)
        defer { close(pipe) }
        mark("ready-\(number)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard names.count(where: { $0.hasPrefix("ready-") }) == count else {
            var byte: UInt8 = 0
            guard read(pipe, &byte, 1) == 1 else { throw CocoaError(.fileReadUnknown) }
            return
        }
        for other in 0..<count where other != own {
            let pipe = open(gate(other), O_WRONLY | O_NONBLOCK)
            // Whoever has seen the same is past its gate.
            _ = write(pipe, "+", 1)
            close(pipe)
        }
    }
}

/// Sets a new cookie with each response of a session, as many servers do.
private struct Server: Transport {
    let name: String
    /// Whether everybody has a session here.
    let isOpen: Bool

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = TransportResponse(status: 200, headers: [:], body: .bytes(Data()), url: request.url)
        let text = request.url.lastPathComponent
        if isOpen || text == "login" || request.headers["Cookie"] != nil {
            response.headers["Set-Cookie"] = "\(name)=\(text); Max-Age=1000; Path=/"
        }
        return response
    }
}
