#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire

    /// What is known of an exchange before it starts.
    struct TransferTerms: ~Copyable {
        let destination: Destination
        let url: URL
        let limits: TransferLimits
        /// Whether the request may be resent if the server may have seen it, and if it cannot have seen it.
        let (mayRepeatSeen, mayRepeatUnseen): (Bool, Bool)
        let receiver: Transfer.Receiver
        let start = TransferStart()
        let monitor: ExchangeMonitor?
        let reportsSentHeaders: Bool
        /// Whether its connection may speak HTTP/2, and then serves others as well.
        let mayShare: Bool
        /// Whether it is the handshake of a WebSocket, which HTTP/2 has another form for.
        let isWebSocket: Bool
        /// Whether the caller gets the connection itself, and nothing is sent.
        let isRaw: Bool
        let expansion: ExpansionGuard.Limits
        /// Where it is remembered which servers speak HTTP/3; `nil` for an exchange without TLS.
        let http3: HTTP3Origins?

        init(_ request: TransportRequest, _ options: CurlOptions, isRaw: Bool) throws(TransportError) {
            let destination = try Destination(text: request.urlText)
            let limits = try TransferLimits(request.timeouts)
            let isDuplex = request.delivery == .duplex
            mayShare = options.routes.mayShare(destination, isDuplex: isDuplex)
            isWebSocket = isDuplex && request.headers["Upgrade"].map { Headers.matches($0, "websocket") } == true
            http3 = mayShare && destination.isSecure && destination.socket == nil ? options.http3 : nil
            self.isRaw = isRaw
            self.limits = limits
            url = request.url
            monitor = request.monitor
            reportsSentHeaders = request.reportsSentHeaders
            expansion = options.expansion
            mayRepeatSeen = Resending.isAllowed(request, after: .perhapsSeen)
            mayRepeatUnseen = Resending.isAllowed(request, after: .unseen)
            receiver = Transfer.Receiver(request.delivery)
            self.destination = destination
        }
    }

    /// How often an exchange was sent again.
    struct Resends {
        var count = 0
        /// Whether the server may have seen the request on an earlier connection.
        var wasPerhapsSeen = false
    }

    /// What has arrived, and the failure.
    struct TransferOutcome {
        var failure: (any Error)?
        var status: Int32 = 0
        var head = RawBytes()
        var body = RawBytes()
        var timings = RawTimings()
        /// Timings at the end of a stream, which the reader gets after it, as it gets the trailers.
        var endTimings = RawTimings()
        var trailers = RawBytes()
        var sentHead = RawBytes()
        var interim: [InterimResponse] = []
        var isDecoded = false
        var codings = ContentCodings()
        var isDelimited = true
    }

    /// The limits of one exchange in nanoseconds.
    struct TransferLimits {
        let connect: Int64
        let firstByte: Int64
        let idle: Int64
        let total: Int64

        init(_ timeouts: Timeouts) throws(TransportError) {
            connect = try TransferLimits.checked(timeouts.connect, "connect")
            firstByte = try TransferLimits.checked(timeouts.firstByte, "firstByte")
            idle = try TransferLimits.checked(timeouts.idle, "idle")
            total = try TransferLimits.checked(timeouts.total, "total")
        }

        /// The earliest that any limit can expire if each one starts now.
        var shortest: Int64 { min(min(connect, firstByte), min(idle, total)) }

        private static func checked(_ limit: Duration?, _ name: String) throws(TransportError) -> Int64 {
            guard let limit else { return MonotonicTime.never }
            guard limit > .zero else {
                throw FieldCheck.invalid("the timeout \(name) is not above zero; nil means no limit")
            }
            return MonotonicTime.nanoseconds(limit)
        }
    }
#endif
