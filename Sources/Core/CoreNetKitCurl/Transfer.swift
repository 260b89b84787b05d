#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire

    /// One call of `send`, from the calling task to the loop and back; `@unchecked Sendable`, because it is handed
    /// over: the task fills it, the holder of the loop's lock works on it, the resumed task reads it.
    final class Transfer: @unchecked Sendable {
        enum Stage {
            case new, waiting, running, done
        }

        /// The part of the loop that performs it.
        enum Carrier {
            case none
            case multi(EasyHandle)
            case connecting(Connector)
            case wire(WireExchange)
            /// A connection is being made for another transfer to the same origin, which may carry this one as well.
            case awaiting

            /// What is sent and received, once that has begun.
            var exchange: CurlExchange? {
                switch self {
                case .multi(let handle): handle
                case .wire(let exchange): exchange
                case .none, .connecting, .awaiting: nil
                }
            }
        }

        enum Receiver {
            case collect(limit: Int)
            case stream(ChunkPipe)
            /// The connection itself once its protocol has been switched; any other response is collected.
            case duplex(ChunkPipe)
            /// Dropped; an error response's content is collected.
            case discard

            init(_ delivery: ResponseDelivery) {
                switch delivery {
                case .collect(let limit): self = .collect(limit: limit)
                case .discard: self = .discard
                // Content for a file goes through the calling task and the queue for files.
                case .stream, .file: self = .stream(ChunkPipe())
                case .duplex: self = .duplex(ChunkPipe())
                }
            }
        }

        let parameters: TransferParameters
        let wire: WireRequest
        /// The length of the content to send, -1 if unknown.
        var bodyCount: Int64 { wire.verb == .upload ? upload.length ?? -1 : Int64(wire.bodyCount) }
        var queuedAt: Int64 { parameters.start.time }

        // Used by the owner thread.
        @exclusivity(unchecked) var stage = Stage.new
        /// Whether the connection speaks another protocol from now on.
        @exclusivity(unchecked) var isUpgraded = false
        @exclusivity(unchecked) var isCancelled = false
        /// How often it was sent again, and whether the server may have seen it on an earlier connection.
        @exclusivity(unchecked) var resends = (count: 0, mayHaveBeenProcessed: false)
        /// The user's content, read while it is sent; dropped by ``releaseUpload()``, never on the owner thread.
        @exclusivity(unchecked) var upload = UploadSource.none
        /// Whether the calling task drops the content when it is resumed; not if the response arrives first.
        @exclusivity(unchecked) var leavesUploadToCaller = true
        @exclusivity(unchecked) var startedAt: Int64 = 0
        @exclusivity(unchecked) var carrier = Carrier.none
        @exclusivity(unchecked) var host: ConnectionLimiter.Host?
        @exclusivity(unchecked) var continuation: UnsafeContinuation<Void, Never>?
        @exclusivity(unchecked) var asksHTTP3: Bool
        /// For the resumed task.
        @exclusivity(unchecked) var outcome = TransferOutcome()
        /// For the reader of a stream, after its end: a variable of its own, as the resumed task may still read the others.
        @exclusivity(unchecked) var end = (trailers: RawBytes(), timings: RawTimings())

        init(
            _ request: TransportRequest,
            file: UploadFile?,
            files: FileWorker,
            options: CurlOptions,
            isRaw: Bool = false
        ) throws(TransportError) {
            parameters = try TransferParameters(request, options, isRaw: isRaw)
            // libcurl sends no trailers over HTTP/3.
            let hasTrailers = !request.body.trailers.isEmpty
            asksHTTP3 =
                !hasTrailers && parameters.http3?.asks(parameters.destination.key, now: MonotonicTime.now()) == true
            let source = try UploadSource(request.body, file, files)
            // Last: nothing may throw once it holds memory.
            wire = try WireRequest(
                request,
                to: parameters.destination,
                by: options.routes.route(to: parameters.destination, isDuplex: request.delivery == .duplex),
                uploadLength: hasTrailers ? nil : source.length,
                mayShare: parameters.mayShare,
                options.usualLines
            )
            if wire.verb == .upload { upload = source }
            outcome.head = RawBytes(reserving: RawBytes.small)
            if case .collect = parameters.receiver { outcome.body = RawBytes(reserving: RawBytes.small) }
        }

        deinit {
            outcome.head.free()
            outcome.body.free()
            end.trailers.free()
            outcome.sentHead.free()
            wire.free()
        }

        /// The exchange is over: leaves the content to the calling task, which is resumed later, or to another one.
        func handOverUpload() {
            if leavesUploadToCaller { return }
            if case .none = upload { return }
            // Swapped, because a copy here might be the last reference, and would run the user's code.
            let spent = Locked(UploadSource.none)
            spent.withLock { swap(&$0, &upload) }
            Task.detached {
                spent.withLock { upload in
                    upload.release()
                    upload = .none
                }
            }
        }

        /// Drops the content if the exchange is over, which may run the user's code; called on the calling task.
        func releaseUpload() {
            guard leavesUploadToCaller else { return }
            upload.release()
            upload = .none
        }

        /// Tells the monitor that the request is being sent, or sent again.
        func reportStart() {
            guard let monitor = parameters.monitor else { return }
            let (count, isSent) = (bodyCount, wire.verb != .upload)
            monitor.update { state in
                state = ExchangeMonitor.State()
                state.bytesToSend = count < 0 ? nil : count
                if isSent { state.bytesSent = max(0, count) }
            }
        }

        func reportSent(_ count: Int64) { parameters.monitor?.update { $0.bytesSent = count } }

        func reportReceived(_ count: Int64) { parameters.monitor?.update { $0.bytesReceived = count } }

        func note(_ head: ResponseHead) {
            outcome.isDecoded = wire.asksForCoding && head.codings.isDecodable
            guard case .length(let expected) = head.framing else { return }
            parameters.monitor?.update { $0.bytesExpected = expected }
        }

        /// Notes the head of an interim response, of which the first hundred are kept.
        func noteInterim(_ lines: UnsafeRawBufferPointer, _ status: Int) {
            guard outcome.interim.count < 100 else { return }
            let headers = Headers(fields: HeaderLines.fields(in: lines, skipsFirst: true))
            outcome.interim.append(InterimResponse(status: status, headers: headers))
            guard let monitor = parameters.monitor else { return }
            let interim = outcome.interim
            monitor.update { $0.interim = interim }
        }

        /// What `send` returns or throws, once the owner thread has resumed its task.
        func response(from loop: CurlLoop) throws -> TransportResponse {
            if let failure = outcome.failure { return try broken(by: failure) }
            let body: ResponseBody
            do {
                body = try responseBody(from: loop)
            } catch let failure as TransportError {
                return try received(.bytes(outcome.body.takeData())).failing(failure)
            }
            return received(body)
        }

        /// The response with the content received so far, for an exchange whose content failed.
        private func broken(by failure: any Error) throws -> TransportResponse {
            // An early response does not make content of the request one of the response.
            guard outcome.status != 0, let failure = failure as? TransportError, failure.code != .requestBodyFailed,
                failure.code != .bodyLengthMismatch
            else { throw failure }
            if outcome.isDecoded { try? decodeBody() }
            return try received(.bytes(outcome.body.takeData())).failing(failure)
        }

        private func received(_ body: ResponseBody) -> TransportResponse {
            // Not copied: this is the last reader of both.
            var own = RawTimings()
            swap(&own, &outcome.timings)
            let source = ReceivedHead(outcome.head, own, start: parameters.start)
            outcome.head = RawBytes()
            var response = TransportResponse(
                status: Int(outcome.status),
                body: body,
                url: parameters.url,
                source: source
            )
            noteOffer(in: response.headers)
            if outcome.isDecoded { response.isDecoded = true }
            if !outcome.isDelimited { response.isDelimited = false }
            if !outcome.interim.isEmpty { response.interim = outcome.interim }
            if parameters.reportsSentHeaders {
                response.sentHeaders = Headers(
                    fields: HeaderLines.fields(in: outcome.sentHead.buffer, skipsFirst: true)
                )
            }
            if case .stream = parameters.receiver { return response }
            if isUpgraded { return response }
            if end.trailers.count > 0, outcome.failure == nil {
                response.trailers = Headers(fields: HeaderLines.fields(in: end.trailers.buffer, skipsFirst: false))
            }
            return response
        }

        private func noteOffer(in headers: @autoclosure () -> Headers) {
            guard let http3 = parameters.http3 else { return }
            let server = Destination.server(of: parameters.destination.key)
            guard let offer = HTTP3Offer(headers(), host: server.host, port: server.port) else { return }
            http3.note(offer, of: parameters.destination.key, now: MonotonicTime.now())
        }

        /// Trailers and timings; the reader reads them after the end of the stream.
        var ending: ResponseStream.Ending {
            ResponseStream.Ending(
                trailers: Headers(fields: HeaderLines.fields(in: end.trailers.buffer, skipsFirst: false)),
                timings: end.timings.timings(since: parameters.start)
            )
        }

        private func responseBody(from loop: CurlLoop) throws -> ResponseBody {
            switch parameters.receiver {
            case .stream(let pipe): return .stream(ResponseStream(pipe: pipe, transfer: self, loop: loop))
            case .duplex(let pipe) where isUpgraded:
                return .duplex(DuplexStream(pipe: pipe, transfer: self, loop: loop))
            case .collect, .discard, .duplex:
                if outcome.isDecoded { try decodeBody() }
                return .bytes(outcome.body.takeData())
            }
        }

        private func decodeBody() throws {
            guard outcome.body.count > 0 else { return }
            var decoded = RawBytes()
            defer {
                outcome.body.free()
                outcome.body = decoded
                outcome.timings.bytesDecoded = Int64(decoded.count)
            }
            do {
                let limit = ContentSink(parameters.receiver).limit
                try outcome.body.decode(outcome.codings, limits: parameters.expansion, atMost: limit, into: &decoded)
            } catch let fault as BodyDecoder.Fault {
                throw CurlFailure.error(for: fault, self)
            }
        }
    }

    extension ResponseStream {
        /// Reads a pipe; releasing it, or the end of the task, cancels the transfer.
        fileprivate init(pipe: ChunkPipe, transfer: Transfer, loop: CurlLoop) {
            let cancel: @Sendable () -> Void = {
                if !pipe.isEnded { _ = loop.submit(.cancel(transfer)) }
            }
            let fromWire: @Sendable () async throws -> Data? = {
                if Task.isCancelled {
                    cancel()
                    throw CancellationError()
                }
                return try await withTaskCancellationHandler {
                    try await pipe.next { _ = loop.submit(.resumeReceiving(transfer)) }
                } onCancel: {
                    cancel()
                }
            }
            guard transfer.outcome.isDecoded else {
                self.init(next: fromWire, cancel: cancel, ending: { pipe.isComplete ? transfer.ending : nil })
                return
            }
            let content = DecodedContent(transfer)
            self.init(
                next: {
                    do {
                        return try await content.next(fromWire)
                    } catch {
                        cancel()
                        throw error
                    }
                },
                cancel: cancel,
                ending: { content.ending }
            )
        }
    }

    struct TransferParameters: ~Copyable {
        let destination: Destination
        let url: URL
        let limits: TransferLimits
        /// Whether the request may be resent if the server may have seen it, and if it cannot have seen it.
        private let (mayRepeatProcessed, mayRepeatUnprocessed): (Bool, Bool)
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
        let expansion: ExpansionGuard
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
            url = request.namedURL
            monitor = request.monitor
            reportsSentHeaders = request.reportsSentHeaders
            expansion = options.expansion
            mayRepeatProcessed = Resending.isAllowed(request, after: .possiblyProcessed)
            mayRepeatUnprocessed = Resending.isAllowed(request, after: .unprocessed)
            receiver = Transfer.Receiver(request.delivery)
            self.destination = destination
        }

        func mayRepeat(_ evidence: Resending.Evidence) -> Bool {
            evidence == .unprocessed ? mayRepeatUnprocessed : mayRepeatProcessed
        }
    }

    struct TransferOutcome {
        var failure: (any Error)?
        var status: Int32 = 0
        var head = RawBytes()
        var body = RawBytes()
        var timings = RawTimings()
        var sentHead = RawBytes()
        var interim: [InterimResponse] = []
        var isDecoded = false
        var codings = ContentCodings()
        var isDelimited = true
    }

    /// The limits of one exchange in nanoseconds.
    struct TransferLimits {
        let (connect, firstByte, idle, total): (Int64, Int64, Int64, Int64)

        init(_ timeouts: Timeouts) throws(TransportError) {
            connect = try TransferLimits.checked(timeouts.connect, .connect)
            firstByte = try TransferLimits.checked(timeouts.firstByte, .firstByte)
            idle = try TransferLimits.checked(timeouts.idle, .idle)
            total = try TransferLimits.checked(timeouts.total, .total)
        }

        /// The earliest that any limit can expire if each one starts now.
        var shortest: Int64 { min(min(connect, firstByte), min(idle, total)) }

        subscript(limit: PhaseLimit) -> Int64 {
            switch limit {
            case .connect: connect
            case .firstByte: firstByte
            case .idle: idle
            case .total: total
            }
        }

        private static func checked(_ length: Duration?, _ limit: PhaseLimit) throws(TransportError) -> Int64 {
            guard let length else { return MonotonicTime.never }
            guard length > .zero else { throw limit.refusal }
            return MonotonicTime.nanoseconds(length)
        }
    }
#endif
