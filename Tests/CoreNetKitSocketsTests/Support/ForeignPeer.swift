import Foundation

/// A server of `.ci/socket-peer.py`, which others have written.
final class ForeignPeer: Sendable {
    /// The Python and the script, from `.ci/socket-peers`, which starts these tests.
    private static let command = (ProcessInfo.processInfo.environment["SOCKET_PEERS"] ?? "").split(separator: " ")
        .map(String.init)
    /// Those that can be had here.
    static let all = command.dropFirst(2)

    let url: String
    private let end: @Sendable () -> Void

    init(_ name: String) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: Self.command[0])
        process.arguments = [Self.command[1], name]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "ws://127.0.0.1:\(port.filter(\.isNumber))/"
        let writing = input.fileHandleForWriting
        end = { try? writing.close() }
    }

    deinit { end() }
}
