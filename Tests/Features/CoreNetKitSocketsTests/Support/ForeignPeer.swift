import TestPrograms
import TestSupport

/// A server of `.ci/peers/sockets.py`, which others have written.
final class ForeignPeer: Sendable {
    /// The Python and the script, from `.ci/peers/run sockets`, which starts these tests.
    private static let command = (ProcessInfo.processInfo.environment["SOCKET_PEERS"] ?? "").split(separator: " ")
        .map(String.init)
    private static let names = command.dropFirst(2)
    /// Those that send back what comes, and can be had here.
    static let echoes = names.filter { !graphNames.contains($0) && $0 != overHTTP2 }
    /// Those that speak GraphQL, and can be had here.
    static let graphs = names.filter { graphNames.contains($0) }
    private static let graphNames: Set = ["strawberry", "ariadne"]
    private static let overHTTP2 = "hypercorn"
    /// Whether the one that speaks HTTP/2 can be had here.
    static let hasHTTP2 = names.contains(overHTTP2)

    let url: String
    /// What it reads, at any time.
    private let files: URL?
    private let end: @Sendable () -> Void

    init(_ name: String) throws {
        files = nil
        (url, end) = try Self.start([name])
    }

    /// The one that speaks HTTP/2, with these certificates.
    init(_ certificates: TestCertificates) throws {
        let files = FileManager.default.temporaryDirectory.appending(path: "http2-socket-\(UUID())")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try certificates.copy(to: files)
        self.files = files
        (url, end) = try Self.start(
            [Self.overHTTP2] + ["good.pem", "good.key"].map { files.appending(path: $0).path }
        )
    }

    deinit {
        end()
        if let files { try? FileManager.default.removeItem(at: files) }
    }

    /// A program that says its port when it serves, and ends with its standard input.
    private static func start(_ arguments: [String]) throws -> (url: String, end: @Sendable () -> Void) {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = [command[1]] + arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let writing = input.fileHandleForWriting
        return ("ws://127.0.0.1:\(port.filter(\.isNumber))/", { try? writing.close() })
    }
}
