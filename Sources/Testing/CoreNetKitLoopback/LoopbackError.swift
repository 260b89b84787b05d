/// Why a loopback server could not start, or why waiting for it ended early.
public struct LoopbackError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line: the failure, its place, and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }

    init(system call: String, code: Int32, at place: String) {
        description = "\(call) failed for \(place): errno \(code) (\(SystemSocket.text(of: code)))"
    }

    static let stopped = LoopbackError("the loopback server was stopped during a wait")
}
