import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire

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

    /// The connection with recording of its messages.
    ///
    /// - Parameters:
    ///   - duplex: The connection; nothing on it is compressed.
    ///   - ended: Receives the messages, once, at the end.
    /// - Returns: The connection to use.
    func watched(_ duplex: DuplexStream, _ ended: @escaping @Sendable ([CassetteMessage]) -> Void) -> DuplexStream {
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
