import CoreNetKitCookies
import Foundation
import TestPace
import Testing

@Suite("Real processes with one cookie file", .timeLimit(.minutes(10)), .paced)
struct CookieProcessTests {
    /// Beside the test bundle.
    private static let program =
        (Bundle.allBundles.map(\.bundleURL) + CommandLine.arguments.prefix(1).map(URL.init(fileURLWithPath:)))
        .map { $0.deletingLastPathComponent().appendingPathComponent("CookieProgram") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    private static let milliseconds = TestRounds.count(400)
    private static let count = TestRounds.processes(3)

    private struct Figures {
        var numbers: [String: Int] = [:]

        init(_ line: String) {
            let words = line.split(whereSeparator: \.isWhitespace)
            for index in stride(from: 0, to: words.count - 1, by: 2) {
                numbers[String(words[index])] = Int(words[index + 1])
            }
        }
    }

    @Test(
        "no store fails, no read finds damage, a sign-out in one ends the cookies in all",
        .enabled(if: program != nil)
    )
    func processes() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cookies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "jar").path
        let lines = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<Self.count {
                group.addTask { try await Self.run(path, number, signsOut: number == 0) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let figures = lines.map(Figures.init)
        print("cookies: \(lines.map { $0.filter { $0 != "\n" } })")
        for figure in figures {
            #expect(figure.numbers["stores"] ?? 0 > 0)
            for name in ["failed", "damaged", "anna"] { #expect(figure.numbers[name] == 0, "\(name) of \(lines)") }
        }
        let jar = CookieJar()
        try CookieFile(at: folder.appending(path: "jar")).load(into: jar)
        #expect(jar.partitions.count == 1 && jar.partitions.allSatisfy { $0.contains("bob") })
        // Nobody's last cookie is lost.
        let values = jar.partitions.flatMap { jar.allCookies(partition: $0) }.map { Int($0.value) }
        #expect(values.sorted { $0 ?? 0 < $1 ?? 0 } == figures.map { $0.numbers["bob"] }.sorted { $0 ?? 0 < $1 ?? 0 })
    }

    private static func run(_ path: String, _ number: Int, signsOut: Bool) async throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = [path, "\(number)", "\(count)", "\(milliseconds)", signsOut ? "signOut" : "write"]
        process.standardOutput = output
        let (exit, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for await _ in exit {}
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
