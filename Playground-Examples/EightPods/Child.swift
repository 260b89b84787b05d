import Foundation

/// A process that this program starts; it ends by itself, whatever happens to this one.
final class Child: Sendable {
    private let status: AsyncStream<Int32>

    init(_ arguments: [String]) throws {
        let (status, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.status = status
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["timeout", "-s", "KILL", "60"] + arguments
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try process.run()
    }

    /// Waits for its end.
    func ended() async { for await code in status where code != 0 { print("a process ended with \(code)") } }
}

/// A real server started by this program, if one is installed.
final class StoreServer {
    let name: String
    let socket: String
    private let folder: URL
    private let process = Process()

    init?() {
        let folders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        let programs = ["valkey-server", "redis-server"].flatMap { name in folders.map { "\($0)/\(name)" } }
        guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            return nil
        }
        name = URL(fileURLWithPath: program).lastPathComponent
        folder = URL(fileURLWithPath: NSTemporaryDirectory() + "eight-pods-\(UInt32.random(in: .min ... .max))")
        socket = folder.appendingPathComponent("s").path
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["timeout", "-s", "KILL", "60", program, "--port", "0", "--unixsocket", socket, "--save", ""]
            + ["--dir", folder.path, "--daemonize", "no"]
        process.standardOutput = FileHandle.nullDevice
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try process.run()
        } catch {
            return nil
        }
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
