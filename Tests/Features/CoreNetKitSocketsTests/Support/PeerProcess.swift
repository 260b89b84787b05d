import Foundation

/// A program that says its port when it serves, and ends with its standard input.
final class PeerProcess: Sendable {
    let url: String
    private let end: @Sendable () -> Void

    init(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "ws://127.0.0.1:\(port.filter(\.isNumber))/"
        let writing = input.fileHandleForWriting
        end = { try? writing.close() }
    }

    deinit { end() }
}
