#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire

    /// HTTP/2 on one connection: its session, its exchanges, and the bytes that wait to be sent; belongs to the owner thread.
    final class HTTP2Streams {
        /// The size of the block that bytes are sent from, in one record of TLS or two.
        private static let room = 32 << 10

        let session: HTTP2Session
        /// In the order of their streams, whose numbers only grow (RFC 9113, 5.1.1).
        @exclusivity(unchecked) private(set) var exchanges: [WireExchange] = []
        @exclusivity(unchecked) private var numbers: [Int32] = []
        /// Exchanges that are over, for later ones: an object for each stream costs more than its head.
        @exclusivity(unchecked) var spare: [WireExchange] = []
        @exclusivity(unchecked) var unsent: [WireExchange] = []
        @exclusivity(unchecked) var isRetired = false
        @exclusivity(unchecked) var isFlushPending = false
        @exclusivity(unchecked) var receivedAt: Int64
        @exclusivity(unchecked) var hasReceived = false
        /// When a PING was sent that nothing has followed; 0 if there is none.
        @exclusivity(unchecked) var pingedAt: Int64 = 0
        /// The streams that a server takes which has refused one.
        @exclusivity(unchecked) var limit = Int.max
        // TLS requires a blocked write to be repeated with the same buffer.
        private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTP2Streams.room, alignment: 16)
        @exclusivity(unchecked) private var (filled, written) = (0, 0)

        init?(now: Int64) {
            guard let session = HTTP2Session() else { return nil }
            (self.session, receivedAt) = (session, now)
        }

        deinit { output.deallocate() }

        func add(_ exchange: WireExchange) {
            numbers.append(exchange.stream)
            exchanges.append(exchange)
            unsent.append(exchange)
        }

        func remove(_ exchange: WireExchange) {
            if let index = index(of: exchange.stream) {
                numbers.remove(at: index)
                exchanges.remove(at: index)
            }
            exchange.stream = 0
        }

        func removeAll() -> [WireExchange] {
            defer { (exchanges, numbers) = ([], []) }
            for exchange in exchanges { exchange.stream = 0 }
            return exchanges
        }

        func exchange(of stream: Int32) -> WireExchange? { index(of: stream).map { exchanges[$0] } }

        private func index(of stream: Int32) -> Int? {
            let index = numbers.sortedIndex { $0 < stream }
            return index < numbers.count && numbers[index] == stream ? index : nil
        }

        var capacity: Int { isRetired ? 0 : min(session.room, limit - exchanges.count) }

        func flush(by send: (UnsafeRawPointer, Int) -> Int) throws(HTTP2Fault) -> Int {
            if filled < output.count {
                filled += try session.send(into: UnsafeMutableRawBufferPointer(rebasing: output[filled...]))
            }
            guard written < filled, let base = output.baseAddress else { return 0 }
            let count = send(base + written, filled - written)
            guard count > 0 else { return count }
            written += count
            if written == filled { (filled, written) = (0, 0) }
            for exchange in unsent { exchange.sending.progress.advance(to: exchange.sending.isDone ? .all : .head) }
            unsent.removeAll(keepingCapacity: true)
            return count
        }

        var hasOutput: Bool { written < filled }
    }
#endif
