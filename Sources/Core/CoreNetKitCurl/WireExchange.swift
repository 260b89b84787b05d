#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    /// What an exchange on our own connection has sent.
    struct WireSending {
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
        var continueAt: Int64 = 0
        var hasWaited = false
        /// When the last byte was written.
        var sentAt: Int64 = 0
        /// Whether the connection accepts no more bytes: a response may still come.
        var hasFailed = false
        /// Whether the server refused the request before it was complete.
        var isRefused = false
    }

    /// What an exchange on our own connection has received.
    struct WireReceiving {
        var reader: ResponseReader
        /// Received bytes that are the beginning of something incomplete.
        var held = RawBytes()
        var content: ContentSink
        var trailers = RawBytes()
        var interim: [InterimResponse] = []
        var status: Int32 = 0
        var isDecoded = false
        /// Whether the reader has enough for now.
        var isPaused = false
        var firstByteAt: Int64 = 0
        /// Bytes received on the connection.
        var bytes: Int64 = 0
        /// Whether bytes are left after the response.
        var hasSurplus = false

        init() { (reader, content) = (ResponseReader(), ContentSink()) }

        init(_ transfer: Transfer) {
            var expectsUpgrade = false
            if case .duplex = transfer.receiver { expectsUpgrade = true }
            reader = ResponseReader(isToHead: transfer.wire.isHead, expectsUpgrade: expectsUpgrade)
            content = ContentSink(transfer.receiver)
        }

        mutating func free() {
            held.free()
            content.bytes.free()
            trailers.free()
        }
    }
#endif
