public import CoreNetKitEssentials
import CoreNetKitHTTP
public import CoreNetKitPeer

/// The response of a server to a WebSocket request.
struct LoopbackSocket: Sendable {
    let script: SocketScript
    /// Bytes directly after the head of the response.
    let greeting: Data
    /// The handshake, once it was received.
    var opening: SocketOpening?
}

extension LoopbackResponse {
    /// A WebSocket, played by a script; compression as offered by the client.
    ///
    /// Faults count the bytes after the head as those of a body: `.fault(.reset(.inBody(3)))` breaks the connection in
    /// the middle of the first frames.
    /// - Parameters:
    ///   - protocols: The subprotocols that the server supports, in order of preference.
    ///   - greeting: Bytes that are sent together with the head of the response.
    ///   - script: The server's side, see ``SocketPeer``.
    /// - Returns: A response for a handshake; any other request gets status 426, and so does each over HTTP/2.
    public static func socket(
        protocols: [String] = [],
        greeting: Data = Data(),
        _ script: @escaping @Sendable (SocketPeer) async throws -> Void
    ) -> LoopbackResponse {
        var response = LoopbackResponse(status: 426, headers: ["Upgrade": "websocket"])
        response.socket = LoopbackSocket(
            script: SocketScript(protocols: protocols, play: script),
            greeting: greeting
        )
        return response
    }

    /// The response to a request, if that is a handshake.
    func opened(for request: LoopbackRequest) -> LoopbackResponse {
        guard let socket, let opening = SocketOpening(request.headers, protocols: socket.script.protocols) else {
            return self
        }
        var copy = self
        (copy.status, copy.body) = (101, .text(""))
        copy.headers = opening.response
        for field in headers where field.name != "Upgrade" { copy.headers.append(field.name, field.value) }
        copy.socket?.opening = opening
        return copy
    }
}
