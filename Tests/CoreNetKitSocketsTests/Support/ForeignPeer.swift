import Foundation

/// A server of `.ci/socket-peer.py`, which others have written.
final class ForeignPeer: Sendable {
    /// The Python and the script, from `.ci/socket-peers`, which starts these tests.
    private static let command = (ProcessInfo.processInfo.environment["SOCKET_PEERS"] ?? "").split(separator: " ")
        .map(String.init)
    /// Those that can be had here.
    static let all = command.dropFirst(2)

    private let process: PeerProcess
    var url: String { process.url }

    init(_ name: String) throws { process = try PeerProcess(Self.command[0], [Self.command[1], name]) }
}
