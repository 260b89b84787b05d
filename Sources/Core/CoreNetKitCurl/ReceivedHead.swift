#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire
    import CoreNetKitSystem
    import CoreNetKitEssentials

    /// A response's head as it arrived, and libcurl's figures: parsed on demand.
    ///
    /// `@unchecked Sendable`: it is immutable.
    final class ReceivedHead: ResponseSource, @unchecked Sendable {
        private let bytes: RawBytes
        private let raw: RawTimings
        private let start: TransferStart

        /// Takes ownership of the bytes.
        init(_ bytes: RawBytes, _ raw: RawTimings, start: TransferStart) {
            self.bytes = bytes
            self.raw = raw
            self.start = start
        }

        deinit { bytes.release() }

        var headers: Headers { Headers(fields: HeaderLines.fields(in: bytes.buffer, skipsFirst: true)) }
        var reason: String { HeaderLines.reason(in: bytes.buffer) }
        var httpVersion: String? { raw.knownVersion }
        var isHTTP11: Bool { raw.isConnected && raw.firstByte > 0 && raw.version == "1.1" }
        var timings: TransportTimings { raw.timings(since: start) }
    }

    /// When an exchange began, on each clock.
    struct TransferStart {
        /// The timers' clock.
        let time = MonotonicTime.now()
        let date = Date()
        let instant = ContinuousClock.now
    }
#endif
