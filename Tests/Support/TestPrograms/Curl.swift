import Foundation
package import Testing

/// The curl program of the system, for tests that want a client that is not ours.
package enum Curl {
    private static let path = ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Disables a suite where curl is not installed.
    package static var isNeeded: ConditionTrait { .enabled(if: path != nil, "curl is not installed") }

    /// Returns the response's body and its status.
    ///
    /// By `popen`: Foundation's `Process` on Linux crashes now and then in a process that opens and closes thousands of
    /// descriptors meanwhile, as a whole test run does.
    package static func run(_ arguments: [String]) async throws -> String {
        let all = [path ?? "curl", "-q", "-s", "--noproxy", "*", "-m", "30", "-w", " %{http_code}"] + arguments
        let command = all.map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }.joined(separator: " ")
        guard let output = popen(command, "r") else { throw CocoaError(.fileReadUnknown) }
        defer { pclose(output) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, output), count > 0 { data += buffer[..<count] }
        return String(decoding: data, as: UTF8.self)
    }
}
