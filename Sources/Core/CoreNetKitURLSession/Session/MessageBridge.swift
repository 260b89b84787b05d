package import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
package import Foundation

/// Presents `URLSessionWebSocketTask` as a byte stream of frames: written are a client's, read are those of a server.
///
/// The platform answers pings itself. One message at a time is received, on demand, so that a slow reader slows down
/// the server.
package final class MessageBridge: Sendable {
    private let channel: any MessageChannel
    private let failure: @Sendable (any Error) -> TransportError
    /// Parses the frames that the client writes.
    private let writing = Locked(SocketReader(.server, limit: .max / 2))
    private let frames = ReaderQueue<Data>()
    private let isAsking = Locked(false)

    /// Takes over the platform's WebSocket after its handshake.
    package init(_ channel: any MessageChannel, failure: @escaping @Sendable (any Error) -> TransportError) {
        (self.channel, self.failure) = (channel, failure)
    }

    /// The connection, which retains the bridge.
    package var stream: DuplexStream {
        DuplexStream(
            receive: { try await self.receive() },
            send: { try await self.send($0) },
            close: {
                self.channel.cut()
                self.frames.end()
            }
        )
    }

    private func receive() async throws -> Data? {
        try Task.checkCancellation()
        let asks = isAsking.withLock { isAsking in
            guard !isAsking, frames.isEmpty else { return false }
            isAsking = true
            return true
        }
        if asks { requestMessage() }
        return try await frames.next()
    }

    /// Receives one message from the channel; if its reader is cancelled, the next reader gets it.
    private func requestMessage() {
        Task { [self] in
            let (frame, end): (SocketFrame?, Result<Void, any Error>?)
            do {
                switch try await channel.receive() {
                case .text(let text): (frame, end) = (SocketFrame(.text, Data(text.utf8)), nil)
                case .data(let data): (frame, end) = (SocketFrame(.binary, data), nil)
                }
            } catch {
                let close = channel.closed.map {
                    SocketFrame(.close, SocketCloseRules.content($0.code, String(decoding: $0.reason, as: UTF8.self)))
                }
                (frame, end) = (close, close == nil ? .failure(failure(error)) : .success(()))
            }
            let bytes = frame?.bytes(mask: nil)
            // In one step: a reader that asked in between would get the next message before this one.
            isAsking.withLock { isAsking in
                isAsking = false
                if let bytes { frames.add(bytes) }
                if let end { frames.end(end) }
            }
        }
    }

    private func send(_ bytes: Data) async throws {
        try Task.checkCancellation()
        let events = try writing.withLock { writing throws(TransportError) in
            var events: [SocketReader.Event] = []
            writing.feed(bytes)
            do throws(SocketFault) {
                while let event = try writing.next() { events.append(event) }
            } catch {
                let message = "URLSession sends frames of WebSocket alone: \(error.message)"
                throw TransportError(.unsupported, phase: .send, message: message)
            }
            return events
        }
        do {
            for event in events { try await perform(event) }
        } catch {
            throw failure(error)
        }
    }

    private func perform(_ event: SocketReader.Event) async throws {
        switch event {
        case .message(let content, true): try await channel.send(.text(String(decoding: content, as: UTF8.self)))
        case .message(let content, false): try await channel.send(.data(content))
        case .ping(let content): channel.ping { [frames] in frames.add(SocketFrame(.pong, content).bytes(mask: nil)) }
        case .pong: break
        case .close(let code, let reason): channel.close(code, Data(reason.utf8))
        }
    }
}

/// A WebSocket of a platform: whole messages, without frames and handshake; one reader and one writer at a time.
package protocol MessageChannel: Sendable {
    func send(_ message: ChannelMessage) async throws

    /// Waits for the next message; throws after the last one.
    func receive() async throws -> ChannelMessage

    func ping(_ ponged: @escaping @Sendable () -> Void)

    /// Sends a close; nothing may be sent after it.
    func close(_ code: UInt16, _ reason: Data)

    /// The peer's close, if it has closed.
    var closed: (code: UInt16, reason: Data)? { get }

    func cut()
}

package enum ChannelMessage: Sendable, Hashable {
    case text(String)
    case data(Data)
}
