package import CoreNetKitHTTP
package import CoreNetKitWire

/// A handshake as the server sees it.
package struct SocketOpening: Sendable {
    /// The fields of the request.
    package let headers: Headers
    /// The fields of the response.
    package let response: Headers
    package let selectedProtocol: String?
    package let deflate: DeflateAgreement?

    /// `nil` if the request does not ask for a WebSocket; the server's protocols are in order of preference.
    package init?(_ headers: Headers, protocols: [String]) {
        guard let key = headers["Sec-WebSocket-Key"], headers["Sec-WebSocket-Version"] == "13",
            SocketHandshake.has(headers, "Upgrade", "websocket"), SocketHandshake.has(headers, "Connection", "upgrade")
        else { return nil }
        self.headers = headers
        let offered = SocketHandshake.tokens(headers, "Sec-WebSocket-Protocol")
        selectedProtocol = protocols.first { offered.contains($0) }
        let extensions = SocketExtension.list(headers["Sec-WebSocket-Extensions"] ?? "") ?? []
        deflate =
            MessageCodec.isAvailable
            ? extensions.lazy.filter { $0.name == DeflateAgreement.name }
                .compactMap { DeflateAgreement(offer: $0.parameters) }.first : nil
        response = SocketHandshake.response(key: key, selected: selectedProtocol, deflate: deflate)
    }
}

/// The actions of a peer, and the subprotocols that it supports.
package struct SocketScript: Sendable {
    package let protocols: [String]
    package let play: @Sendable (SocketPeer) async throws -> Void

    package init(protocols: [String], play: @escaping @Sendable (SocketPeer) async throws -> Void) {
        (self.protocols, self.play) = (protocols, play)
    }

    package func start(_ peer: SocketPeer) -> Task<Void, Never> {
        Task {
            do {
                try await play(peer)
                peer.close()
            } catch {
                peer.drop()
            }
        }
    }
}
