#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire
    import CoreNetKitSystem
    import CoreNetKitWire
    import CoreNetKitEssentials

    /// One call of `send`, from the calling task to the owner thread and back.
    ///
    /// `@unchecked Sendable`: it is handed over. The calling task fills it and suspends, the owner thread works on it,
    /// the resumed task reads it; the mailbox's lock and the continuation order the three.
    final class Transfer: @unchecked Sendable {
        enum Stage {
            case new
            case waiting
            case running
            case done
        }

        /// What is working on it.
        enum Place {
            case none
            case multi(EasyHandle)
            /// A connection is being made for it.
            case connecting(Connector)
            case wire(WireExchange)
            /// A connection is being made for another transfer to the same origin, which may carry this one as well.
            case awaiting
        }

        /// Where the content goes.
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
                // Content for a file goes through the calling task and the file thread; a duplex connection has been
                // refused before.
                case .stream, .file: self = .stream(ChunkPipe())
                case .duplex: self = .duplex(ChunkPipe())
                }
            }
        }

        let destination: Destination
        @exclusivity(unchecked) private(set) var wire: WireRequest
        /// The request, if HTTP/3 may have been given up by its turn; owned by the user, as `upload` is.
        @exclusivity(unchecked) private var undecided: TransportRequest?
        private let usual: UsualLines
        let limits: TransferLimits
        let url: URL
        /// Whether the request may be resent if the server may have seen it, and if it cannot have seen it.
        let (mayRepeatSeen, mayRepeatUnseen): (Bool, Bool)
        let receiver: Receiver
        let start = TransferStart()
        let monitor: ExchangeMonitor?
        let reportsSentHeaders: Bool
        /// Whether its connection may speak HTTP/2, and then serves others as well.
        let mayShare: Bool
        /// Whether it is the handshake of a WebSocket, which HTTP/2 has another form for.
        let isWebSocket: Bool
        /// Whether only the connection is wanted, and nothing is sent.
        let isRaw: Bool
        let expansion: ExpansionGuard.Limits
        /// The length of the content to send, -1 if unknown.
        var bodyCount: Int64 { wire.verb == .upload ? upload.length ?? -1 : Int64(wire.bodyCount) }
        var queuedAt: Int64 { start.time }

        // Used by the owner thread.
        @exclusivity(unchecked) var stage = Stage.new
        /// Whether the connection speaks another protocol from now on.
        @exclusivity(unchecked) var isSwitched = false
        @exclusivity(unchecked) var isCancelled = false
        /// How often it was sent again.
        @exclusivity(unchecked) var resends = 0
        /// Whether the server may have seen the request on an earlier connection.
        @exclusivity(unchecked) var wasPerhapsSeen = false
        /// Content that is read while it is sent.
        ///
        /// Owned by the user: dropped by ``releaseUpload()``, never on the owner thread.
        @exclusivity(unchecked) var upload = UploadSource.none
        /// Whether the calling task drops the content when it is resumed; not if the response arrives first.
        @exclusivity(unchecked) var leavesUploadToCaller = true
        @exclusivity(unchecked) var startedAt: Int64 = 0
        @exclusivity(unchecked) var place = Place.none
        @exclusivity(unchecked) var host: ConnectionLimiter.Host?
        @exclusivity(unchecked) var continuation: UnsafeContinuation<Void, Never>?

        // The outcome, for the resumed task.
        @exclusivity(unchecked) var failure: (any Error)?
        @exclusivity(unchecked) var status: Int32 = 0
        @exclusivity(unchecked) var head = RawBytes()
        @exclusivity(unchecked) var body = RawBytes()
        @exclusivity(unchecked) var timings = RawTimings()
        /// Timings at the end of a stream, which the reader gets after it, as it gets the trailers.
        @exclusivity(unchecked) var endTimings = RawTimings()
        @exclusivity(unchecked) var trailers = RawBytes()
        @exclusivity(unchecked) var sentHead = RawBytes()
        @exclusivity(unchecked) var interim: [InterimResponse] = []
        @exclusivity(unchecked) var isDecoded = false
        @exclusivity(unchecked) var codings = ContentCodings()
        @exclusivity(unchecked) var isDelimited = true
        /// Whether a new connection for it should try HTTP/3.
        @exclusivity(unchecked) var asksHTTP3: Bool
        /// Where the result of that is remembered; `nil` for an exchange without TLS.
        let http3: HTTP3Origins?

        init(
            _ request: TransportRequest,
            file: UploadFile?,
            files: FileThread,
            options: CurlOptions,
            isRaw: Bool = false
        ) throws(TransportError) {
            let destination = try Destination(text: request.urlText)
            let isDuplex = request.delivery == .duplex
            mayShare = options.laneRule.mayShare(destination, isDuplex: isDuplex)
            isWebSocket = isDuplex && request.headers["Upgrade"].map { Headers.matches($0, "websocket") } == true
            let mayAskHTTP3 = mayShare && destination.isSecure && destination.socket == nil
            http3 = mayAskHTTP3 ? options.http3 : nil
            asksHTTP3 = http3?.asks(destination.key, now: MonotonicTime.now()) == true
            self.isRaw = isRaw
            limits = try TransferLimits(request.timeouts)
            url = request.url
            monitor = request.monitor
            reportsSentHeaders = request.reportsSentHeaders
            expansion = options.expansion
            usual = options.usualLines
            undecided = asksHTTP3 ? request : nil
            mayRepeatSeen = Resending.isAllowed(request, after: .perhapsSeen)
            mayRepeatUnseen = Resending.isAllowed(request, after: .unseen)
            receiver = Receiver(request.delivery)
            let source = try UploadSource(request.body, file, files)
            // Last: nothing may throw once it holds memory.
            wire = try WireRequest(
                request,
                to: destination,
                by: options.laneRule.lane(to: destination, asksHTTP3: asksHTTP3, isDuplex: isDuplex),
                uploadLength: source.length,
                mayShare: mayShare,
                options.usualLines
            )
            self.destination = destination
            if wire.verb == .upload { upload = source }
            head = RawBytes(reserving: RawBytes.small)
            if case .collect = receiver { body = RawBytes(reserving: RawBytes.small) }
        }

        /// Writes the request for the wire, because its server cannot be reached over HTTP/3.
        ///
        /// - Returns: Whether the request had been kept for that.
        func takeWire() -> Bool {
            if case .wire = wire.lane { return true }
            guard let undecided,
                let written = try? WireRequest(
                    undecided,
                    to: destination,
                    by: .wire(.usual),
                    uploadLength: upload.length,
                    mayShare: true,
                    usual
                )
            else { return false }
            wire.block.free()
            wire = written
            return true
        }

        deinit {
            head.free()
            body.free()
            trailers.free()
            sentHead.free()
            wire.block.free()
        }

        /// The exchange is over: leaves the sent content to the calling task, or to another one if that has moved on.
        ///
        /// Called on the owner thread, before it resumes the calling task.
        func handOverUpload() {
            if undecided == nil, case .none = upload { return }
            guard !leavesUploadToCaller else { return }
            let spent = Spent()
            swap(&spent.upload, &upload)
            swap(&spent.request, &undecided)
            Task.detached { spent.release() }
        }

        /// Drops the content if the exchange is over, which may run the user's code; called on the calling task.
        func releaseUpload() {
            guard leavesUploadToCaller else { return }
            upload.release()
            upload = .none
            undecided = nil
        }

        /// What `send` returns or throws, once the owner thread has resumed its task.
        func response(from loop: CurlLoop) throws -> TransportResponse {
            if let failure { return try broken(by: failure) }
            let body: ResponseBody
            do {
                body = try responseBody(from: loop)
            } catch let failure as TransportError {
                return try received(.bytes(self.body.takeData())).failing(failure)
            }
            return received(body)
        }

        /// What has arrived behind a head, for an exchange whose content failed.
        private func broken(by failure: any Error) throws -> TransportResponse {
            // An early response does not make content of the request one of the response.
            guard hasHead, let failure = failure as? TransportError, failure.code != .requestBodyFailed,
                failure.code != .bodyLengthMismatch
            else { throw failure }
            if isDecoded { try? decodeBody() }
            return try received(.bytes(body.takeData())).failing(failure)
        }

        /// Whether the head of the response has been taken over.
        private var hasHead: Bool { status != 0 }

        /// The head, with its content.
        private func received(_ body: ResponseBody) -> TransportResponse {
            // Not copied: this is the last reader of both.
            var own = RawTimings()
            swap(&own, &timings)
            let source = ReceivedHead(head, own, start: start)
            head = RawBytes()
            var response = TransportResponse(status: Int(status), body: body, url: url, source: source)
            noteOffer(in: response.headers)
            if isDecoded { response.isDecoded = true }
            if !isDelimited { response.isDelimited = false }
            if !interim.isEmpty { response.interim = interim }
            if reportsSentHeaders {
                response.sentHeaders = Headers(fields: HeaderLines.fields(in: sentHead.buffer, skipsFirst: true))
            }
            if case .stream = receiver { return response }
            if isSwitched { return response }
            if trailers.count > 0 {
                response.trailers = Headers(fields: HeaderLines.fields(in: trailers.buffer, skipsFirst: false))
            }
            return response
        }

        /// Notes what a server says about HTTP/3.
        private func noteOffer(in headers: @autoclosure () -> Headers) {
            guard let http3 else { return }
            let origin = Origin(url)
            guard let offer = HTTP3Offer(headers(), host: origin.host, port: origin.port) else { return }
            http3.note(offer, of: destination.key, now: MonotonicTime.now())
        }

        /// What is known at the end of a stream; read by the reader after that end.
        var ending: ResponseStream.Ending {
            ResponseStream.Ending(
                trailers: Headers(fields: HeaderLines.fields(in: trailers.buffer, skipsFirst: false)),
                timings: endTimings.timings(since: start)
            )
        }

        private func responseBody(from loop: CurlLoop) throws -> ResponseBody {
            switch receiver {
            case .stream(let pipe): return .stream(ResponseStream(pipe: pipe, transfer: self, loop: loop))
            case .duplex(let pipe) where isSwitched:
                return .duplex(DuplexStream(pipe: pipe, transfer: self, loop: loop))
            case .collect, .discard, .duplex:
                if isDecoded { try decodeBody() }
                return .bytes(body.takeData())
            }
        }

        /// Decodes the collected content, as far as it can be decoded.
        private func decodeBody() throws {
            guard body.count > 0 else { return }
            var decoded = RawBytes()
            defer {
                body.free()
                body = decoded
                timings.bytesDecoded = Int64(body.count)
            }
            do {
                let limit = ContentSink(receiver).limit
                try body.decode(codings, limits: expansion, atMost: limit, into: &decoded)
            } catch let fault as BodyDecoder.Fault {
                throw CurlFailure.error(for: fault, self)
            }
        }
    }

    /// Sent content, on its way to a task that drops it.
    ///
    /// `@unchecked Sendable`: it is handed over.
    private final class Spent: @unchecked Sendable {
        var upload = UploadSource.none
        var request: TransportRequest?

        func release() {
            upload.release()
            (upload, request) = (.none, nil)
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
            guard transfer.isDecoded else {
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
