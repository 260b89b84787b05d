import Foundation

/// A server of `.ci/socket-peer.py`, which others have written.
final class ForeignPeer: Sendable {
    /// The Python and the script, from `.ci/socket-peers`, which starts these tests.
    private static let command = (ProcessInfo.processInfo.environment["SOCKET_PEERS"] ?? "").split(separator: " ")
        .map(String.init)
    private static let names = command.dropFirst(2)
    /// Those that send back what comes, and can be had here.
    static let echoes = names.filter { !graphNames.contains($0) }
    /// Those that speak GraphQL, and can be had here.
    static let graphs = names.filter { graphNames.contains($0) }
    private static let graphNames: Set = ["strawberry", "ariadne"]

    private let process: PeerProcess
    var url: String { process.url }

    init(_ name: String) throws { process = try PeerProcess(Self.command[0], [Self.command[1], name]) }
}
