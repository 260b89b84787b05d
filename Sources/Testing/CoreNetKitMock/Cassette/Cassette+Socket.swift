import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitWire

extension Cassette {
    /// Plays a WebSocket: each message of the server is sent after the client's messages that precede it on the tape.
    func playSocket(_ entry: CassetteEntry, for request: TransportRequest) throws -> TransportResponse {
        guard let messages = entry.messages else {
            throw Self.error("the tape has no messages for \(entry.summary); record it again")
        }
        let (rules, summary) = (request.secrets, entry.summary)
        let selected = entry.headers["Sec-WebSocket-Protocol"].map { [$0] } ?? []
        let script = SocketScript(protocols: selected) { [weak self] peer in
            for message in messages {
                if message.isSent {
                    let event = try await peer.message()
                    try self?.expect(message, event, summary, by: rules)
                    continue
                }
                switch message.kind {
                case .text: peer.send(text: String(decoding: message.content, as: UTF8.self))
                case .binary: peer.send(data: message.content)
                case .close where message.code == SocketCloseRules.abnormal: return peer.drop()
                case .close: peer.close(message.code, message.reason)
                }
            }
            // A tape without a close has nothing more to play.
            guard messages.last?.kind != .close else { return _ = try await peer.message() }
            try self?.expect(.close(1000, "", isSent: true), try await peer.message(), summary, by: rules)
        }
        guard var response = script.begin(request, ended: {}) else {
            throw Self.error("\(summary) is a WebSocket on the tape, but the request is not a WebSocket handshake")
        }
        for field in entry.headers where response.headers[field.name] == nil && !Self.isOfHandshake(field.name) {
            response.headers.append(field.name, field.value)
        }
        return response
    }

    /// The response of a handshake, with a connection that is recorded.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - ended: Receives the messages at the end of the connection.
    /// - Returns: The response to use; `nil` if there is no connection.
    func watchedSocket(
        _ response: TransportResponse,
        _ ended: @escaping @Sendable ([CassetteMessage]) -> Void
    ) -> TransportResponse? {
        guard case .duplex(let duplex) = response.body else { return nil }
        var response = response
        response.body = .duplex(CassetteConversation().watched(duplex, ended))
        return response
    }

    private static func isOfHandshake(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("sec-websocket-") || name == "upgrade" || name == "connection"
    }

    /// Compares the client's message with the tape; a difference is reported and breaks the connection.
    private func expect(
        _ taped: CassetteMessage,
        _ event: SocketPeerEvent,
        _ summary: String,
        by rules: SecretRules
    ) throws {
        let sent: CassetteMessage?
        switch event {
        case .text(let text): sent = CassetteMessage(isSent: true, kind: .text, content: Data(text.utf8))
        case .data(let data): sent = CassetteMessage(isSent: true, kind: .binary, content: data)
        // A client that closes early, or with another code, is accepted.
        case .close, .end: return
        case .ping, .pong: sent = nil
        }
        if let sent, matches(sent, taped, by: rules) { return }
        let why = "\(summary): the socket sent another message than the one on the tape (\(taped.kind))"
        report(unmatched: why)
        throw SocketPeerMismatch(description: why)
    }
}
