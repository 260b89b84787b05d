import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSystem
import CoreNetKitWire

extension Cassette {
    /// Plays a WebSocket: each message of the server is sent after the client's messages that precede it on the tape.
    func playSocket(_ entry: CassetteEntry, for request: TransportRequest) throws -> TransportResponse {
        guard let messages = entry.messages else {
            throw TransportError.unscripted("the tape has no messages for \(entry.summary); record it again")
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
        guard var response = script.respond(to: request, onEnd: {}) else {
            throw TransportError.unscripted(
                "\(summary) is a WebSocket on the tape, but the request is not a WebSocket handshake"
            )
        }
        for field in entry.headers where response.headers[field.name] == nil && !Self.isOfHandshake(field.name) {
            response.headers.append(field.name, field.value)
        }
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
        if let sent, state.withLock({ $0.tape.matches(sent, taped, by: rules) }) { return }
        let mismatch = "\(summary): the socket sent another message than the one on the tape (\(taped.kind))"
        state.withLock { $0.tape.report.unmatched.append(mismatch) }
        throw SocketPeerMismatch(description: mismatch)
    }
}

/// The messages and closes on a WebSocket connection, in order, for the tape.
///
/// A sent message precedes the server's responses to it. Pings and pongs are not recorded: they depend on time.
final class CassetteConversation: Sendable {
    private struct State {
        var client = SocketReader(.client, limit: 256 << 20)
        var server = SocketReader(.server, limit: 256 << 20)
        var messages: [CassetteMessage] = []
        var isEnded = false
    }

    private let state = Locked(State())

    /// The connection with recording of its messages, which are reported once, at the end; nothing on it is compressed.
    func recording(_ duplex: DuplexStream, _ ended: @escaping @Sendable ([CassetteMessage]) -> Void) -> DuplexStream {
        DuplexStream(
            receive: { [self] in
                do {
                    let data = try await duplex.receive()
                    if let data { take(data, isSent: false) } else { end(isCut: true, ended) }
                    return data
                } catch {
                    if !(error is CancellationError) { end(isCut: true, ended) }
                    throw error
                }
            },
            send: { [self] data in
                take(data, isSent: true)
                try await duplex.send(data)
            },
            close: { [self] in
                duplex.close()
                end(isCut: false, ended)
            }
        )
    }

    private func take(_ data: Data, isSent: Bool) {
        state.withLock { state in
            // A protocol violation is left to the reader; the tape has the messages before it.
            do throws(SocketFault) {
                if isSent { state.server.feed(data) } else { state.client.feed(data) }
                while let event = isSent ? try state.server.next() : try state.client.next() {
                    state.messages += [CassetteMessage](event, isSent: isSent)
                }
            } catch {}
        }
    }

    private func end(isCut: Bool, _ ended: ([CassetteMessage]) -> Void) {
        let messages = state.withLock { state -> [CassetteMessage]? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            // After a close the end is orderly.
            if isCut, state.messages.last?.kind != .close {
                state.messages.append(.close(SocketCloseRules.abnormal, "", isSent: false))
            }
            return state.messages
        }
        if let messages { ended(messages) }
    }
}

extension [CassetteMessage] {
    fileprivate init(_ event: SocketReader.Event, isSent: Bool) {
        switch event {
        case .message(let content, let isText):
            self = [CassetteMessage(isSent: isSent, kind: isText ? .text : .binary, content: content)]
        case .close(let code, let reason): self = [.close(code, reason, isSent: isSent)]
        case .ping, .pong: self = []
        }
    }
}
