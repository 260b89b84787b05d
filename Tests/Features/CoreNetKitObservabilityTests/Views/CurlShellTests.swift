import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitObservability
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

/// `TEST_ROUNDS=2000` tries more; without the shells or curl there is nothing to compare with.
@Suite("A curl command in a real shell", .timeLimit(.minutes(10)), .paced)
struct CurlShellTests {
    private static let count = TestRounds.count(15)
    private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    private struct Seen: Equatable {
        let method: String
        let fields: [String]
        let body: Data
    }

    @Test("sends the same bytes", .enabled(if: hasCurl), arguments: ["/bin/bash", "/bin/dash"])
    func sameBytes(shell: String) async throws {
        guard FileManager.default.isExecutableFile(atPath: shell) else { return }
        let server = try LoopbackServer()
        defer { server.stop() }
        let seen = Locked<[Int: Seen]>([:])
        let handler: @Sendable (LoopbackRequest) -> LoopbackResponse = { request in
            let number = request.headers["X-Number"].flatMap { Int($0) } ?? -1
            seen.withLock { $0[number] = Self.seen(request.method, request.headers, request.body) }
            return .status(204)
        }
        for method in Self.methods { server.on(method, "/*", handler) }

        var random = SplitMix64(seed: TestRounds.seed(42))
        var expected: [Int: Seen] = [:]
        var script = ""
        for number in 0..<Self.count {
            let request = Self.request(number, server.url, &random)
            expected[number] = Self.seen(request.method, request.headers, request.body.data ?? Data())
            let command = CurlCommand(
                method: request.method,
                url: request.url.absoluteString,
                headers: request.headers,
                body: request.body.data
            )
            script += command.description + " -s\n"
        }
        try run(script, in: shell)

        let found = seen.withLock { $0 }
        for number in 0..<Self.count { #expect(found[number] == expected[number], "\(number)") }
    }

    private static let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]

    private static func seen(_ method: HTTPMethod, _ headers: Headers, _ body: Data) -> Seen {
        let own = headers.filter { $0.name.hasPrefix("X-") && $0.name != "X-Number" }
        return Seen(method: method.rawValue, fields: own.map { "\($0.name): \($0.value)" }, body: body)
    }

    private static func request(_ number: Int, _ base: URL, _ random: inout SplitMix64) -> TransportRequest {
        let odd = ["'", "\"", "$HOME", "`id`", "!", "@x", "[1-9]{a}", "é🙂", "\\n", " ", "%", ";", "&", "#", "-d", "\t"]
        func text(_ length: Int) -> String {
            (0..<length).map { _ in odd[Int(random.next() % UInt64(odd.count))] }.joined()
        }
        var components = URLComponents(url: base, resolvingAgainstBaseURL: false)
        components?.path = "/p\(number)"
        components?.queryItems = [URLQueryItem(name: "q", value: text(4))]
        let method = methods[Int(random.next() % UInt64(methods.count))]
        var body = RequestBody.empty
        if method != .get {
            switch random.next() % 3 {
            case 0: body = .bytes(Data(text(20).utf8) + Data("x".utf8))
            case 1: body = .bytes(Data((0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            default: break
            }
        }
        // Field values lose the white space around them on every wire.
        let value = "a" + text(5).filter { $0 != "\t" } + "z"
        var headers: Headers = ["X-Number": "\(number)", "X-Odd": value, "X-Empty": ""]
        if !body.isEmpty { headers["Content-Type"] = "application/octet-stream" }
        return TransportRequest(method: method, url: components?.url ?? base, headers: headers, body: body)
    }

    private func run(_ script: String, in shell: String) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("curl-\(UUID().uuidString).sh")
        try Data(script.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = [file.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
