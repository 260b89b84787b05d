#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitPeer
    import CoreNetKitWire

    /// Streams of HTTP/2, from their request to their end.
    extension EventLoop {
        /// Begins a response on a stream; returns whether it is one.
        func writeIfHTTP2(_ response: LoopbackResponse, on connection: Connection) -> Bool {
            guard let stream = connection as? HTTP2Stream else { return false }
            guard !response.isTextOfHTTP1 else {
                reset(stream, .protocolError)
                return true
            }
            ResponseWriter(response, for: stream.head, on: stream).prepare(stream)
            if response.closes, !stream.streams.isLeaving {
                stream.streams.isLeaving = true
                stream.streams.session.sendGoAway(last: stream.streams.last)
            }
            if stream.faults.drip != nil {
                dripping.insert(stream.connectionID)
                startTicking()
            }
            stream.phase = .responding
            return true
        }

        func begin(_ request: HTTP2Request, _ id: Int32, on connection: Connection, _ streams: HTTP2ServerStreams) {
            var connectionID = connection.connectionID
            connectionID.stream = id
            let stream = HTTP2Stream(connectionID, connection, streams, request)
            (streams.open[id], streams.last) = (stream, id)
            journal.update { $0.counts.heads += 1 }
            let preview = request.made(connection: connectionID.number)
            if routes.hasHeadHandlers, let response = routes.headReply(for: preview) {
                stream.isRefused = true
                begin(response, on: stream)
                flush(stream)
            } else if preview.headers["Expect"]?.lowercased() == "100-continue" {
                stream.send([Headers.Field(name: ":status", value: "100")], isEnd: false)
            }
        }

        func complete(_ stream: HTTP2Stream) {
            stream.isComplete = true
            guard !stream.isRefused else { return }
            var request = stream.request.made(connection: stream.connectionID.number)
            let handler = routes.handler(for: &request)
            journal.update { $0.record(&request, newHeads: 0) }
            reply(request, by: handler, on: stream)
            flush(stream)
        }

        /// Submits as much content as the session accepts now.
        func flush(_ stream: HTTP2Stream) {
            while stream.phase == .responding, stream.untaken == 0, !stream.faults.isStalled, !stream.streams.isClosing
            {
                if stream.hasEnded, !stream.trailers.isEmpty {
                    stream.send(stream.trailers, isEnd: true)
                    stream.trailers = []
                } else if let cut = stream.faults.cuts.first, stream.hasEnded || cut.offset <= stream.output.sent {
                    stream.faults.cuts.removeFirst()
                    cutOff(stream, cut.action)
                } else if stream.hasEnded {
                    finish(stream)
                } else if stream.output.sent > 0, stream.output.pending == 0, let more = stream.output.more {
                    stream.output.dropSent()
                    if !more(&stream.output.bytes) { stream.output.more = nil }
                } else {
                    let limit = stream.faults.drip == nil ? Int.max : stream.faults.allowance
                    guard limit > 0 else { return }
                    stream.submitContent(limit)
                }
            }
        }

        private func cutOff(_ stream: HTTP2Stream, _ action: Connection.Faults.CutAction) {
            switch action {
            case .close: stream.streams.isClosing = true
            case .reset: reset(stream, stream.resetCode)
            case .stall: perform(action, on: stream)
            }
        }

        private func reset(_ stream: HTTP2Stream, _ code: HTTP2Code) {
            stream.reset(code)
            stream.phase = .draining
            journal.update { $0.counts.serverCloses += 1 }
        }

        /// Called when the session has taken the whole response.
        func finish(_ stream: HTTP2Stream) {
            stream.phase = .idle
            dripping.remove(stream.connectionID)
            // It counts when the socket has taken it, too.
            stream.parent.finishedResponses += 1
            // The client need not send the rest of its request (RFC 9113, 8.1).
            if !stream.isComplete { stream.reset(.none) }
        }

        /// A stream is over; without a code, its connection is.
        func leave(_ stream: HTTP2Stream, _ code: HTTP2Code = .none) {
            let isByClient = code != .none && stream.phase != .idle && !stream.isReset
            stream.phase = .draining
            stream.output.more = nil
            stream.task?.cancel()
            dripping.remove(stream.connectionID)
            guard isByClient else { return }
            journal.update { state in
                state.counts.clientCloses += 1
                state.counts.clientResets += 1
            }
        }
    }

    extension LoopbackResponse {
        /// Whether it is about bytes that HTTP/2 does not have.
        fileprivate var isTextOfHTTP1: Bool {
            if case .raw = body { return true }
            return faults.contains {
                switch $0 {
                case .garbageStatusLine, .noSpaceAfterColon, .foldedHeaders: true
                default: false
                }
            }
        }
    }

    extension ResponseWriter {
        /// Prepares a response for a stream, and sends what precedes it.
        func prepare(_ stream: HTTP2Stream) {
            for interim in response.informational {
                stream.send(Self.fields(interim.headers, status: interim.status), isEnd: false)
            }
            stream.fields = Self.fields(response.headers, status: response.status)
            if hasContent, let declaredLength, !response.headers.contains("Content-Length") {
                stream.fields.append(Headers.Field(name: "content-length", value: String(declaredLength)))
            }
            stream.trailers = hasContent ? Self.fields(response.trailers, status: nil) : []
            addCuts(status: 0, statusEnd: 0, body: 1)
            guard hasContent, head.method != .head else { return }
            addBody(isChunked: false)
            if hasBadChunk {
                stream.resetCode = .protocolError
                stream.faults.cuts = [(1 + firstChunk, .reset)]
            }
            let isEmpty = stream.output.pending == 0 && stream.output.more == nil && stream.faults.cuts.isEmpty
            stream.hasContent = !isEmpty || !stream.trailers.isEmpty
        }

        /// The bytes in front of a bad chunk.
        private var firstChunk: Int {
            if case .chunks(let chunks) = response.body { chunks.first?.count ?? 0 } else { ((length ?? 0) + 1) / 2 }
        }

        /// Without those of an HTTP/1.1 connection, with which a client refuses a response (RFC 9113, 8.2.2).
        private static func fields(_ headers: Headers, status: Int?) -> [Headers.Field] {
            let fields = headers.map { Headers.Field(name: $0.name.lowercased(), value: $0.value) }
            return (status.map { [Headers.Field(name: ":status", value: String($0))] } ?? [])
                + fields.filter { !connectionFields.contains($0.name) }
        }

        private static let connectionFields: Set<String> = [
            "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
        ]
    }
#endif
