import CoreNetKitPeer

/// A fault of a response; faults combine, each at its own point of the response.
///
/// Over HTTP/2 a fault is one of its stream: the others continue. The head is one piece there, and nothing frames the content, so
/// that every point before the body is the one before the head; the end of the stream is after the last byte. What is about
/// the text of HTTP/1.1 (``garbageStatusLine``, ``noSpaceAfterColon``, ``foldedHeaders``, raw bytes) resets the stream with
/// `PROTOCOL_ERROR`.
public enum LoopbackFault: Sendable {
    /// A point of a response on the wire.
    public enum Point: Sendable, Hashable {
        /// Before the first byte of the final status line (after informational responses).
        case beforeStatus
        /// In the middle of the status line, after `HTTP/1.1 2`.
        case inStatusLine
        /// In the middle of the header, after three bytes of its first field.
        case inHeaders
        /// After this many bytes of the body as they are on the wire, chunk framing included.
        case inBody(Int)
        /// After the last byte.
        case atEnd
    }

    /// Closes the connection; over HTTP/2 with all its streams.
    case close(Point)
    /// Resets the connection (RST); over HTTP/2 the stream alone, with `INTERNAL_ERROR`.
    case reset(Point)
    /// Sends nothing more until the gate is opened or the client is gone; without a gate only the latter.
    case stall(Point, until: LoopbackGate? = nil)
    /// Sends at most this many bytes per tick of the server's timer or of ``LoopbackServer/tick()``; over HTTP/2 the head is
    /// one byte.
    case drip(Int)
    /// Declares a `Content-Length` that differs from the body by this much, and closes after the body; over HTTP/2 the stream
    /// ends there.
    case contentLength(offBy: Int)
    /// Sends a chunked body whose second chunk has an invalid size, and closes; over HTTP/2 the stream is reset with
    /// `PROTOCOL_ERROR` in its place.
    case badChunk
    /// Sends a first line that is not HTTP, then the rest of the response, and closes.
    case garbageStatusLine
    /// Leaves out the space after the colon of every field; this is valid HTTP that some clients misread.
    case noSpaceAfterColon
    /// Folds the value of every field that contains a space over two lines (obs-fold).
    case foldedHeaders
}

/// A barrier between a test and a handler or a stalled response: waiters continue when it is opened.
public final class LoopbackGate: Sendable {
    private let state: WaitableState<(isOpen: Bool, listeners: [@Sendable () -> Void])>

    /// Creates a gate.
    public init(isOpen: Bool = false) { state = WaitableState((isOpen, [])) }

    /// Releases all current and later waiters.
    public func open() {
        let listeners = state.update { state in
            defer { state = (true, []) }
            return state.listeners
        }
        for listener in listeners { listener() }
    }

    /// Makes all later callers wait.
    public func close() { state.update { $0.isOpen = false } }

    /// Returns when the gate is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func wait() async throws { try await state.wait { $0.isOpen } }

    /// Calls the listener once: now if the gate is open, else when it opens.
    func notify(_ listener: @escaping @Sendable () -> Void) {
        let isOpen = state.update { state in
            if !state.isOpen { state.listeners.append(listener) }
            return state.isOpen
        }
        if isOpen { listener() }
    }
}
