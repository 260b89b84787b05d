package import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
package import Foundation

/// Presents `URLSessionWebSocketTask` as a byte stream of frames: written are a client's, read are those of a server.
///
/// The platform answers pings itself. One message at a time is received, on demand, so that a slow reader slows down
/// the server.
package final class MessageBridge: Sendable {
    private struct State {
        /// Parses the frames that the client writes.
        var writing = SocketReader(.server, limit: .max / 2)
        var frames: [Data] = []
        var isAsking = false
        var end: Result<Void, TransportError>?
        var reader: Waiter<Data?>?

        mutating func take() -> Result<Data?, any Error>? {
            if !frames.isEmpty {
                // All of it: a reader accepts pieces of any size.
                defer { frames = [] }
                return .success(frames.count == 1 ? frames[0] : Data(frames.joined()))
            }
            return end.map { end in end.map { nil }.mapError { $0 } }
        }
    }

    private let channel: any MessageChannel
    private let failure: @Sendable (any Error) -> TransportError
    private let state = Locked(State())

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
                self.finish(.success(()))
            }
        )
    }

    private func receive() async throws -> Data? {
        try Task.checkCancellation()
        let reader = Waiter<Data?>()
        let asks = state.withLock { state in
            if let found = state.take() {
                reader.resume(found)
                return false
            }
            state.reader = reader
            defer { state.isAsking = true }
            return !state.isAsking
        }
        if asks { requestMessage() }
        return try await reader.value()
    }

    /// Receives one message from the channel; if its reader is cancelled, the next reader gets it.
    private func requestMessage() {
        Task { [self] in
            do {
                switch try await channel.receive() {
                case .text(let text): deliver(SocketFrame(.text, Data(text.utf8)), isAsked: true)
                case .data(let data): deliver(SocketFrame(.binary, data), isAsked: true)
                }
            } catch {
                guard let (code, reason) = channel.closed else { return finish(.failure(failure(error))) }
                let words = String(decoding: reason, as: UTF8.self)
                deliver(SocketFrame(.close, SocketCloseRules.content(code, words)), isAsked: true)
                finish(.success(()))
            }
        }
    }

    private func deliver(_ frame: SocketFrame, isAsked: Bool = false) {
        let bytes = frame.bytes(mask: nil)
        // A reader that was cancelled leaves the frame to the next one.
        while let reader = keep(bytes, isAsked: isAsked), !reader.resume(.success(bytes)) {}
    }

    private func keep(_ bytes: Data, isAsked: Bool) -> Waiter<Data?>? {
        state.withLock { state in
            if isAsked { state.isAsking = false }
            guard state.end == nil else { return nil }
            if let reader = state.reader.take() { return reader }
            state.frames.append(bytes)
            return nil
        }
    }

    private func finish(_ end: Result<Void, TransportError>) {
        let reader = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.reader.take()
        }
        reader?.resume(end.map { nil }.mapError { $0 })
    }

    private func send(_ bytes: Data) async throws {
        try Task.checkCancellation()
        let events = try state.withLock { state throws(TransportError) in
            var events: [SocketReader.Event] = []
            state.writing.feed(bytes)
            do throws(SocketFault) {
                while let event = try state.writing.next() { events.append(event) }
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
        case .ping(let content): channel.ping { [weak self] in self?.deliver(SocketFrame(.pong, content)) }
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
