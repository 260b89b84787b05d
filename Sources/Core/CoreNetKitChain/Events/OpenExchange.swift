package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Reports the end of an exchange whose content is read as a stream, exactly once, even if it is never read.
///
/// Only the stream holds it, and it holds only the record: the transfer ends when the stream is released. A WebSocket
/// implementation reports its traffic to it.
package final class OpenExchange: Sendable {
    /// The key under which a connection's response carries it for the code that uses the connection.
    package enum Key: Attributes.Key {
        package typealias Value = OpenExchange
    }

    private struct State {
        var bytes: Int64 = 0
        var isEnded = false
        var socket: CallEvent.SocketEnd?
    }

    private let report: @Sendable (CallEvent.ExchangeEnd, TransportTimings?) -> Void
    private let keep: (@Sendable (CallEvent.SocketMessage) -> Void)?
    private let state = Locked(State())

    package convenience init(_ recording: CallRecording, at place: CallEvent.Place) {
        let keep: @Sendable (CallEvent.SocketMessage) -> Void = { recording.keep($0, at: place) }
        self.init(keep: recording.wantsAll ? keep : nil) { recording.endExchange($0, timings: $1, at: place) }
    }

    init(
        keep: (@Sendable (CallEvent.SocketMessage) -> Void)? = nil,
        _ report: @escaping @Sendable (CallEvent.ExchangeEnd, TransportTimings?) -> Void
    ) {
        (self.keep, self.report) = (keep, report)
    }

    /// Counts bytes that were read.
    package func read(_ count: Int) {
        state.withLock { $0.bytes += Int64(count) }
    }

    /// The content was read to its end, or failed.
    package func end(_ error: (any Error)? = nil) {
        guard let last = ended() else { return }
        var end =
            error.map { CallEvent.ExchangeEnd($0, bytesRead: last.bytes) } ?? .init(.complete, bytesRead: last.bytes)
        end.socket = last.socket
        report(end, (error as? TransportError)?.timings)
    }

    deinit {
        guard let last = ended() else { return }
        var end = CallEvent.ExchangeEnd(.cancelled, bytesRead: last.bytes)
        end.socket = last.socket
        report(end, nil)
    }

    private func ended() -> State? {
        state.withLock { state in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            state.socket?.bytesReceived = state.bytes
            return state
        }
    }

    // MARK: - WebSocket

    /// The connection has become a WebSocket: its figures are reported at its end.
    ///
    /// - Parameter reconnects: How many times the socket has tried a new connection.
    package func beginSocket(reconnects: Int) {
        state.withLock { state in
            var socket = CallEvent.SocketEnd()
            socket.reconnects = reconnects
            state.socket = socket
        }
    }

    /// Changes the figures; received bytes are already counted.
    package func note(_ change: (inout CallEvent.SocketEnd) -> Void) {
        state.withLock { state in
            guard var socket = state.socket else { return }
            change(&socket)
            state.socket = socket
        }
    }

    /// Whether a listener wants each message.
    package var keepsMessages: Bool { keep != nil }

    /// Notes a message if a listener wants it.
    package func note(_ content: @autoclosure () -> Data, isText: Bool, isSent: Bool) {
        guard let keep else { return }
        let message = CallEvent.SocketMessage(content(), isText: isText, isSent: isSent)
        // Under the lock: nothing follows the end.
        state.withLock { if !$0.isEnded { keep(message) } }
    }
}
