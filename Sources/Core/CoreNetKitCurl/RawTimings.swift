#if os(Linux)
    import CNetCurl
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire

    /// libcurl's figures for one exchange, in microseconds; the task that asked converts them to `TransportTimings`.
    struct RawTimings {
        var queue: Int64 = 0
        var total: Int64 = 0
        var isNew = false
        var isSecure = false
        var resolve: Int64 = 0
        var connect: Int64 = 0
        var tls: Int64 = 0
        var ready: Int64 = 0
        var sent: Int64 = 0
        var firstByte: Int64 = 0
        var finished: Int64 = 0
        var bytesSent: Int64 = 0
        var bytesReceived: Int64 = 0
        var connectionID: UInt32 = 0
        var isConnected = false
        var bytesDecoded: Int64 = 0
        var tlsDetails: TLSDetails?
        var version: String?
        var remote: String?
    }

    extension RawTimings {
        init(_ transfer: Transfer) {
            switch transfer.carrier {
            case .none, .awaiting:
                self.init()
                total = (MonotonicTime.now() - transfer.queuedAt) / 1000
                queue = total
            case .multi(let handle): self.init(transfer, handle)
            case .connecting(let connector):
                self.init()
                queue = (transfer.startedAt - transfer.queuedAt) / 1000
                isNew = true
                isSecure = transfer.parameters.destination.isSecure
                (resolve, connect, tls) = CurlLibrary.times(of: connector.easy, isSecure: isSecure)
            case .wire(let exchange): self.init(transfer, exchange)
            }
        }

        private init(_ transfer: Transfer, _ exchange: WireExchange) {
            let connection = exchange.connection
            note(transfer, exchange, at: connection.setup.loop.now)
            isConnected = true
            isNew = exchange.isNew
            isSecure = transfer.parameters.destination.isSecure
            if isNew {
                (resolve, connect, tls) = connection.setup.times
                // libcurl's times may be later than the loop's turn, which began before.
                ready = max(ready, connect, tls)
            }
            bytesSent = Int64(min(exchange.sending.written, transfer.wire.count)) + exchange.sending.sent
            bytesReceived = exchange.receiving.bytes
            connectionID = connection.number
            remote = connection.setup.remote
            version = connection.streams != nil ? "2" : exchange.receiving.head?.isOld == true ? "1.0" : "1.1"
            bytesDecoded = exchange.receiving.content.received
            tlsDetails = connection.setup.details
        }

        private init(_ transfer: Transfer, _ handle: EasyHandle) {
            note(transfer, handle, at: handle.loop.now)
            isConnected = handle.connectedAt != 0
            isNew = handle.link.isNewConnection || !isConnected
            if isNew {
                isSecure = true
                (resolve, connect, tls) = CurlLibrary.times(of: handle.easy, isSecure: true)
            }
            guard isConnected else { return }
            bytesSent = Int64(cnc_easy_number(handle.easy, CNCINFO_REQUEST_SIZE))
            bytesReceived = Int64(cnc_easy_number(handle.easy, CNCINFO_HEADER_SIZE))
            bytesReceived += cnc_easy_size(handle.easy, CNCINFO_SIZE_DOWNLOAD_T)
            connectionID = UInt32(truncatingIfNeeded: cnc_easy_size(handle.easy, CNCINFO_CONN_ID)) | 1 << 31
            remote = handle.remote
            version = "3"
            bytesDecoded = handle.receiving.content.received
            tlsDetails = CurlLibrary.tlsDetails(of: handle.easy)
        }

        private mutating func note(_ transfer: Transfer, _ exchange: CurlExchange, at time: Int64) {
            let start = transfer.startedAt
            let now = max(time, exchange.receiving.firstByteAt)
            func since(_ time: Int64) -> Int64 { time == 0 ? 0 : max(1, (time - start) / 1000) }
            queue = (start - transfer.queuedAt) / 1000
            total = (now - transfer.queuedAt) / 1000
            (finished, ready) = (since(now), since(exchange.connectedAt))
            (sent, firstByte) = (since(exchange.sending.sentAt), since(exchange.receiving.firstByteAt))
        }

        func timings(since start: TransferStart) -> TransportTimings {
            var timings = TransportTimings()
            timings.startDate = start.date
            timings.startInstant = start.instant
            timings.queue = .microseconds(queue)
            timings.total = .microseconds(total)
            if isNew {
                if resolve > 0 { timings.resolve = .microseconds(resolve) }
                if connect > 0 { timings.connect = .microseconds(max(0, connect - resolve)) }
                if isSecure, tls > 0 { timings.tls = .microseconds(max(0, tls - connect)) }
            }
            guard isConnected else { return timings }
            timings.isConnectionReused = !isNew
            timings.connectionID = connectionID == 0 ? nil : Int64(connectionID)
            timings.remoteAddress = remote
            timings.tlsVersion = tlsDetails?.version
            timings.tlsCipher = tlsDetails?.cipher
            timings.bytesSent = bytesSent
            if sent > 0 { timings.send = .microseconds(max(0, sent - ready)) }
            guard firstByte > 0 else { return timings }
            timings.firstByte = .microseconds(max(0, firstByte - max(sent, ready)))
            timings.receive = .microseconds(max(0, finished - firstByte))
            timings.bytesReceived = bytesReceived
            timings.bytesDecoded = bytesDecoded
            timings.httpVersion = version
            return timings
        }
    }

    /// A response's head and libcurl's figures, parsed on demand; `@unchecked Sendable`, because it is immutable.
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
        var httpVersion: String? { raw.isConnected && raw.firstByte > 0 ? raw.version : nil }
        var isHTTP11: Bool { httpVersion == "1.1" }
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
