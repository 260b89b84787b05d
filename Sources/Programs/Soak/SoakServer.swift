import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

/// The soak's server, in a process of its own so that its resources are counted separately.
final class SoakServer {
    let base: URL
    private let process = Process()

    init() throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["serve"]
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)),
            let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw URLError(.cannotConnectToHost) }
        base = url
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs in the child process: responds until it is terminated.
    static func serve() async throws {
        let server = try LoopbackServer(recording: .off) { SoakKind.reply(to: $0) }
        server.on(.get, "/resources") { [weak server] _ in
            try .json(encoding: ProcessResources.current(connections: server?.counts.open ?? 0))
        }
        print(server.port)
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
