#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    /// A request and its response, on one of our connections or over HTTP/3; belongs to the owner thread.
    class CurlExchange {
        @exclusivity(unchecked) final var sending = Sending()
        @exclusivity(unchecked) final var receiving = Receiving()
        @exclusivity(unchecked) final var connectedAt: Int64 = 0
        @exclusivity(unchecked) final var lastActivity: Int64 = 0
    }

    /// An exchange on one of our connections: all that HTTP/1.1 does at a time, or an HTTP/2 stream.
    final class WireExchange: CurlExchange {
        let connection: WireConnection
        @exclusivity(unchecked) var transfer: Transfer?
        /// The number of its stream while that is open; 0 otherwise, and over HTTP/1.1.
        @exclusivity(unchecked) var stream: Int32 = 0
        /// Whether no exchange has used the connection before.
        @exclusivity(unchecked) var isNew = true
        /// Pending writes after the protocol was switched.
        @exclusivity(unchecked) var outbox: [DuplexWrite] = []

        init(_ connection: WireConnection) { self.connection = connection }

        /// Starts an HTTP/1.1 exchange, or one with a new stream.
        func begin(_ transfer: Transfer, now: Int64) {
            self.transfer = transfer
            transfer.carrier = .wire(self)
            isNew = !connection.isUsed
            connection.isUsed = true
            sending = Sending()
            receiving = Receiving(transfer)
            (connectedAt, lastActivity) = (now, now)
        }

        /// Whether there are bytes to send as soon as the socket takes them.
        var wantsToSend: Bool {
            guard outbox.isEmpty else { return true }
            return !sending.isDone && !sending.isPaused && sending.continueDeadline == 0
        }
    }

    extension CurlExchange {
        /// Why it ends without its response: content beyond its limit, or the error, `nil` for the phase of the moment.
        enum Refusal {
            case tooLarge(limit: Int)
            case other(TransportError.Code, String, TransportError.Phase? = nil)

            static let outOfMemory = other(.failed, "no memory for the response")
        }

        struct Sending {
            var progress = RequestProgress.nothing
            /// Bytes of the request's block that were sent.
            var written = 0
            /// Content that was read but not yet sent, with its chunk's lines.
            var piece = RawBytes()
            var pieceWritten = 0
            /// Content that was read, without the lines around chunks.
            var sent: Int64 = 0
            /// Whether all of the content was read; if it is chunked, the last chunk is in `piece`.
            var isSourceEnded = false
            /// Whether the source has nothing to give for now.
            var isPaused = false
            /// Whether nothing more is to be written: all of it was, or the server does not want it.
            var isDone = false
            /// Until when to wait for the server to ask for the content; 0 if nothing waits.
            var continueDeadline: Int64 = 0
            var hasWaited = false
            var sentAt: Int64 = 0
            /// Whether the connection accepts no more bytes: a response may still come.
            var hasFailed = false
            var isRefused = false
        }

        struct Receiving {
            var reader: ResponseReader
            var head: ResponseHead?
            /// Received bytes that are the beginning of something incomplete.
            var held = RawBytes()
            var content: ContentSink
            var status: Int32 = 0
            var isEnded = false
            /// Whether the reader has enough for now.
            var isPaused = false
            var firstByteAt: Int64 = 0
            var bytes: Int64 = 0
            var hasSurplus = false
            /// Content of a stream whose window was not opened again.
            var unconsumed = 0

            init() { (reader, content) = (ResponseReader(), ContentSink()) }

            init(_ transfer: Transfer) {
                var expectsUpgrade = false
                if case .duplex = transfer.parameters.receiver { expectsUpgrade = true }
                reader = ResponseReader(isToHead: transfer.wire.isHead, expectsUpgrade: expectsUpgrade)
                content = ContentSink(transfer.parameters.receiver)
                swap(&content.bytes, &transfer.outcome.body)
            }

            mutating func free() {
                held.free()
                content.bytes.free()
            }
        }
    }
#endif
