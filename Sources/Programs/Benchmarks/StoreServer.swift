import Foundation

/// A Redis or Valkey server in a folder of its own, only on a Unix domain socket.
final class StoreServer {
    static let program = ["redis-server", "valkey-server"]
        .flatMap { name in ["/usr/bin", "/usr/local/bin", "/usr/sbin"].map { "\($0)/\(name)" } }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let path: String
    private let process: Process
    private let folder: URL

    init(_ program: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "corenetkit-fleet-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "s").path()
        let options = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder.path(), "--daemonize", "no"]
        // `timeout` ends the server even if this program crashes.
        process = Process("/usr/bin/timeout", ["-s", "KILL", "600", program] + options)
        let output = Pipe()
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        try process.run()
        var log = ""
        while !log.contains("eady to accept connections") {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw BenchmarkFailure("\(program) does not start: \(log)") }
            log += String(decoding: bytes, as: UTF8.self)
        }
    }

    func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
