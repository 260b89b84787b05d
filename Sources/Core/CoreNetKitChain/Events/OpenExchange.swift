package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Reports the end of an exchange whose content is read as a stream, exactly once, even if it is never read.
///
/// The stream and its response hold it, and it holds only the record: the transfer ends when the stream is released.
/// Readers of a self-delimiting format call ``markComplete()`` at its end, and a WebSocket implementation adds its statistics.
package final class OpenExchange: Attributes.Key, Sendable {
    /// A response carries it for the code that reads the stream or uses the connection.
    package typealias Value = OpenExchange

    private struct State {
        var bytes: Int64 = 0
        var isEnded = false
        /// Whether the content is complete, whatever follows on the wire.
        var isComplete = false
        var socket: CallEvent.SocketEnd?
    }

    private let report: @Sendable (CallEvent.ExchangeEnd, TransportTimings?) -> Void
    private let keep: (@Sendable (CallEvent.SocketMessage) -> Void)?
    /// The number of bytes of the content, if known.
    private let length: Int64?
    private let state = Locked(State())

    package convenience init(_ recording: CallRecording, at location: CallEvent.Location, length: Int64? = nil) {
        let keep: @Sendable (CallEvent.SocketMessage) -> Void = { recording.keep($0, at: location) }
        self.init(keep: recording.wantsAll ? keep : nil, length: length) {
            recording.endExchange($0, timings: $1, at: location)
        }
    }

    init(
        keep: (@Sendable (CallEvent.SocketMessage) -> Void)? = nil,
        length: Int64? = nil,
        _ report: @escaping @Sendable (CallEvent.ExchangeEnd, TransportTimings?) -> Void
    ) {
        (self.keep, self.length, self.report) = (keep, length, report)
    }

    package func read(_ count: Int) { state.withLock { $0.bytes += Int64(count) } }

    /// Marks the content as complete by its own format: whatever ends the exchange afterwards is not a failure.
    package func markComplete() { state.withLock { $0.isComplete = true } }

    /// Ends the exchange: the content was read to its end, it failed, or its reader stopped reading.
    package func end(_ error: (any Error)? = nil) {
        let last = state.withLock { state -> State? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            state.socket?.bytesReceived = state.bytes
            return state
        }
        guard let last else { return }
        let failure = last.isComplete || last.bytes == length ? nil : error
        var end =
            failure.map { CallEvent.ExchangeEnd($0, bytesRead: last.bytes) } ?? .init(.complete, bytesRead: last.bytes)
        end.socket = last.socket
        report(end, (error as? TransportError)?.timings)
    }

    deinit { end(CancellationError()) }

    // MARK: - WebSocket

    /// Marks the connection as a WebSocket: its statistics are reported at its end.
    package func beginSocket(reconnects: Int) {
        state.withLock { state in
            var socket = CallEvent.SocketEnd()
            socket.reconnects = reconnects
            state.socket = socket
        }
    }

    /// Changes the statistics; received bytes are already counted.
    package func note(_ change: (inout CallEvent.SocketEnd) -> Void) {
        state.withLock { state in
            guard var socket = state.socket else { return }
            change(&socket)
            state.socket = socket
        }
    }

    /// Whether a listener records each message.
    package var keepsMessages: Bool { keep != nil }

    /// Records a message if a listener does.
    package func note(_ content: @autoclosure () -> Data, isText: Bool, isSent: Bool) {
        guard let keep else { return }
        let message = CallEvent.SocketMessage(content(), isText: isText, isSent: isSent)
        // Under the lock, so that no message follows the end.
        state.withLock { if !$0.isEnded { keep(message) } }
    }
}
