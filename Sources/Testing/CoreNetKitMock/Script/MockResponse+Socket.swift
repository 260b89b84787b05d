import CoreNetKitEssentials
import CoreNetKitHTTP
public import CoreNetKitPeer
import CoreNetKitSystem
import CoreNetKitWire

extension MockResponse {
    /// A WebSocket, played by a script (see ``SocketPeer``); a request that is no handshake gets status 426.
    ///
    /// The subprotocols are in order of preference; compression is as offered by the client.
    public static func socket(
        protocols: [String] = [],
        _ script: @escaping @Sendable (SocketPeer) async throws -> Void
    ) -> MockResponse {
        var response = MockResponse(status: 426, headers: ["Upgrade": "websocket"])
        response.socket = SocketScript(protocols: protocols, play: script)
        return response
    }
}

extension SocketScript {
    /// Whether the script reads; ends with the connection.
    private enum Reading { case active, paused, closed }

    private static func lost(_ phase: TransportError.Phase, _ message: String) -> TransportError {
        TransportError(.connectionLost, phase: phase, message: message)
    }

    /// Responds to a handshake; `nil` if the request is not a handshake.
    func respond(to request: TransportRequest, onEnd: @escaping @Sendable () -> Void) -> TransportResponse? {
        guard let opening = SocketOpening(request.headers, protocols: protocols) else { return nil }
        let (bytes, reading) = (ReaderQueue<Data>(), WaitableState(Reading.active))
        let peer = SocketPeer(opening) { output in
            switch output {
            case .bytes(let data): bytes.add(data)
            case .end: bytes.end()
            case .reset: bytes.end(.failure(Self.lost(.receive, "the script dropped the connection")))
            case .setReading(let isEnabled): reading.update { if $0 != .closed { $0 = isEnabled ? .active : .paused } }
            }
        }
        let task = start(peer)
        let connection = DuplexStream(
            receive: { try await bytes.next() },
            send: { data in
                try await reading.wait { $0 != .paused }
                guard reading.value != .closed else { throw Self.lost(.send, "the connection was closed") }
                do throws(SocketFault) { try peer.take(data) } catch { throw Self.lost(.send, error.message) }
            },
            close: {
                bytes.end()
                reading.update { $0 = .closed }
                peer.disconnect()
                task.cancel()
                onEnd()
            }
        )
        let body = ResponseBody.duplex(connection)
        return TransportResponse(status: 101, headers: opening.response, body: body, url: request.url)
    }
}
