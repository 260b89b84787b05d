#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    // Exchanges over HTTP/2: streams that share a connection (RFC 9113).
    extension CurlLoop {
        func begin(_ transfer: Transfer, on connection: WireConnection, _ streams: HTTP2Streams) {
            if streams.exchanges.isEmpty { wire.idle.remove(connection) }
            let exchange = streams.spare.popLast() ?? WireExchange(connection)
            exchange.begin(transfer, now: shared.now)
            noteStart(transfer)
            let isWebSocket = transfer.parameters.isWebSocket
            let hasContent = isWebSocket || transfer.wire.framing != .none && transfer.wire.framing != .length(0)
            do {
                let form = HTTP2RequestForm(
                    isSecure: transfer.parameters.destination.isSecure,
                    isWebSocket: isWebSocket,
                    secretNames: transfer.wire.secretNames
                )
                exchange.stream = try streams.session.begin(
                    transfer.wire.head,
                    form,
                    hasContent: hasContent,
                    hasTrailers: transfer.wire.hasTrailers
                )
            } catch {
                return refuse(exchange, .http2Failed, error.message)
            }
            streams.add(exchange)
            exchange.sending.written = transfer.wire.headCount
            scheduleFlush(connection, streams)
            check(at: MonotonicTime.after(shared.now, CurlLoop.silence))
            if hasContent {
                startSending(transfer, exchange, streams)
            } else {
                (exchange.sending.isDone, exchange.sending.sentAt) = (true, shared.now)
            }
        }

        private func startSending(_ transfer: Transfer, _ exchange: WireExchange, _ streams: HTTP2Streams) {
            if transfer.parameters.isWebSocket {
                exchange.sending.sentAt = MonotonicTime.now()
            } else if transfer.wire.verb != .upload {
                exchange.sending.written = transfer.wire.count
                exchange.sending.isSourceEnded = true
                _ = streams.session.submit(transfer.wire.body, isLast: true, to: exchange.stream)
            } else if transfer.wire.expectsContinue {
                awaitContinue(exchange)
            } else {
                sendContent(transfer, exchange, streams)
            }
        }

        /// Passes the next piece of content to the session, which frames as much as the flow-control windows allow.
        func sendContent(_ transfer: Transfer, _ exchange: WireExchange, _ streams: HTTP2Streams) {
            guard !exchange.sending.isDone, exchange.sending.piece.count == 0 || exchange.sending.isSourceEnded else {
                return
            }
            exchange.sending.piece.removeAll()
            guard let room = exchange.sending.piece.room(of: WirePool.bufferSize), let base = room.baseAddress else {
                return refuse(exchange, .failed, "no memory for the request")
            }
            switch transfer.upload.read(into: base, count: room.count) {
            case .bytes(let count):
                exchange.sending.piece.added(count)
                note(count, transfer, exchange)
            case .end: exchange.sending.isSourceEnded = true
            case .pause: return exchange.sending.isPaused = true
            case .failure(let failure): return refuse(exchange, failure.code, failure.message)
            }
            exchange.lastActivity = shared.now
            let isLast = exchange.sending.isSourceEnded
            _ = streams.session.submit(exchange.sending.piece.buffer, isLast: isLast, to: exchange.stream)
            scheduleFlush(exchange.connection, streams)
        }

        /// Schedules the output of a connection; all connections are flushed together before the loop sleeps.
        func scheduleFlush(_ connection: WireConnection, _ streams: HTTP2Streams) {
            guard !streams.isFlushPending else { return }
            streams.isFlushPending = true
            wire.pendingFlush.append(connection)
        }

        func flushPending() {
            while !wire.pendingFlush.isEmpty {
                let connections = wire.pendingFlush
                wire.pendingFlush.removeAll(keepingCapacity: true)
                for connection in connections {
                    guard let streams = connection.streams else { continue }
                    streams.isFlushPending = false
                    if wire.isOpen(connection) { flush(connection, streams) }
                }
            }
        }

        func flush(_ connection: WireConnection, _ streams: HTTP2Streams) {
            var left = CurlLoop.bytesPerTurn
            while wire.isOpen(connection), left > 0 {
                let count: Int
                do {
                    count = try streams.flush(by: connection.send)
                } catch {
                    return lose(connection, streams, .http2Failed, text: error.message)
                }
                // Sending may end streams, and request content.
                handleEvents(connection, streams, UnsafeRawBufferPointer(start: nil, count: 0))
                if count == CNC_IO_BROKEN { return receive(connection, streams, isBroken: true) }
                if count <= 0 { break }
                left -= count
            }
            guard wire.isOpen(connection) else { return }
            let isOver = streams.session.isOver || streams.isRetired && streams.exchanges.isEmpty && !streams.hasOutput
            if isOver { return lose(connection, streams) }
            let what = streams.hasOutput || left <= 0 ? CNC_POLL_INOUT : CNC_POLL_IN
            shared.sockets.watch(connection.socket, for: Int32(what))
        }

        func receive(_ connection: WireConnection, _ streams: HTTP2Streams, isBroken: Bool = false) {
            var left = CurlLoop.bytesPerTurn
            while wire.isOpen(connection) {
                guard left > 0 else {
                    let more: SocketSet.Ready = (connection.socket, canSend: false, canReceive: true)
                    return shared.sockets.ready.append(more)
                }
                let isIdle = streams.exchanges.isEmpty
                let buffer = isIdle ? wire.idleBuffer : wire.buffer
                let size = isIdle ? WirePool.idleBufferSize : WirePool.bufferSize
                let count = connection.receive(buffer, size)
                if count == CNC_IO_AGAIN { break }
                guard count > 0 else { return lose(connection, streams) }
                (streams.receivedAt, streams.pingedAt, streams.hasReceived) = (shared.now, 0, true)
                let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
                do {
                    try streams.session.receive(bytes)
                } catch {
                    handleEvents(connection, streams, bytes)
                    return lose(connection, streams, .http2Failed, text: error.message)
                }
                handleEvents(connection, streams, bytes)
                left -= count
                if connection.connector == nil, count < size { break }
            }
            if isBroken { return lose(connection, streams) }
            if wire.isOpen(connection) { scheduleFlush(connection, streams) }
        }

        private func handleEvents(
            _ connection: WireConnection,
            _ streams: HTTP2Streams,
            _ bytes: UnsafeRawBufferPointer
        ) {
            while let event = streams.session.next() {
                switch event {
                case .goAway: retire(connection, streams)
                case .settings:
                    streams.limit = .max
                    startAwaiting(connection.host)
                case .pong: break
                case .interim(let stream, _, _), .head(let stream, _, _), .trailers(let stream, _),
                    .content(let stream, _),
                    .end(let stream, _), .closed(let stream, _), .invalid(let stream, _), .wantsContent(let stream):
                    guard let exchange = streams.exchange(of: stream), let transfer = exchange.transfer else {
                        continue
                    }
                    handle(event, bytes, transfer, exchange, streams)
                }
            }
            // Each reader gets the bytes of all frames at once.
            for exchange in wire.pendingDeliveries where exchange.transfer != nil {
                if let transfer = exchange.transfer { deliver(transfer, exchange) }
            }
            wire.pendingDeliveries.removeAll(keepingCapacity: true)
        }

        private func handle(
            _ event: HTTP2Event,
            _ bytes: UnsafeRawBufferPointer,
            _ transfer: Transfer,
            _ exchange: WireExchange,
            _ streams: HTTP2Streams
        ) {
            switch event {
            case .interim(_, let status, let lines): take(interim: lines, status, transfer, exchange)
            case .head(_, let status, let lines):
                noteBytes(lines.count, transfer, exchange)
                exchange.receiving.head = ResponseHead(status: status, lines: lines)
                if transfer.parameters.isWebSocket, 200...299 ~= status { return accepted(lines, transfer, exchange) }
                if take(head: lines, transfer, exchange) { scheduleDelivery(exchange) }
            case .content(_, let range):
                noteBytes(range.count, transfer, exchange)
                exchange.receiving.unconsumed += range.count
                guard exchange.receiving.head != nil else {
                    return refuse(exchange, .invalidResponse, HTTP2Fault.response.message)
                }
                let content = UnsafeRawBufferPointer(rebasing: bytes[range])
                guard take(content: content, transfer, exchange) else { return }
                guard !scheduleDelivery(exchange), exchange.receiving.unconsumed >= CurlLoop.windowStep else { return }
                openWindow(exchange, streams)
            case .trailers(_, let lines):
                noteBytes(lines.count, transfer, exchange)
                guard transfer.end.trailers.append(lines) else {
                    return refuse(exchange, .failed, "no memory for the trailers")
                }
            case .end where exchange.receiving.head == nil:
                refuse(exchange, .invalidResponse, HTTP2Fault.response.message)
            case .end: complete(transfer, exchange, isKept: true)
            case .closed(_, let code): closed(transfer, exchange, streams, code)
            case .invalid(_, let fault): refuse(exchange, .invalidResponse, fault.message)
            case .wantsContent where transfer.isUpgraded: didSendSwitched(exchange, streams)
            case .wantsContent: didSendPiece(transfer, exchange, streams)
            case .goAway, .settings, .pong: break
            }
        }

        private func take(
            interim lines: UnsafeRawBufferPointer,
            _ status: Int,
            _ transfer: Transfer,
            _ exchange: WireExchange
        ) {
            noteBytes(lines.count, transfer, exchange)
            // All heads of a response have one limit together, as over HTTP/1.1.
            guard exchange.receiving.bytes <= WireLimits().head else {
                return refuse(exchange, .invalidResponse, HTTP2Fault.tooLarge.message)
            }
            transfer.noteInterim(lines, status)
            if status == 100 { resumeAfterContinue(exchange) }
        }

        private func didSendPiece(_ transfer: Transfer, _ exchange: WireExchange, _ streams: HTTP2Streams) {
            exchange.lastActivity = shared.now
            if exchange.sending.isSourceEnded {
                exchange.sending.piece.free()
                guard !exchange.sending.isDone else { return }
                if transfer.wire.hasTrailers {
                    streams.session.send(transfer.upload.trailers, on: exchange.stream)
                    scheduleFlush(exchange.connection, streams)
                }
                finishSending(exchange)
            } else {
                exchange.sending.progress.advance(to: .part)
                exchange.sending.piece.removeAll()
                sendContent(transfer, exchange, streams)
            }
        }

        @discardableResult
        private func scheduleDelivery(_ exchange: WireExchange) -> Bool {
            guard exchange.receiving.content.kind == .stream else { return false }
            if wire.pendingDeliveries.last !== exchange { wire.pendingDeliveries.append(exchange) }
            return true
        }

        /// How much of a window of 256 KiB is used before it is opened again, in bytes.
        private static let windowStep = 64 << 10

        func openWindow(_ exchange: WireExchange, _ streams: HTTP2Streams) {
            guard exchange.stream != 0, exchange.receiving.unconsumed > 0 else { return }
            streams.session.consumed(exchange.receiving.unconsumed, of: exchange.stream)
            exchange.receiving.unconsumed = 0
            scheduleFlush(exchange.connection, streams)
        }

        /// A stream was reset before its response was complete: by the server, or by the session for a violation.
        private func closed(_ transfer: Transfer, _ exchange: WireExchange, _ streams: HTTP2Streams, _ code: HTTP2Code)
        {
            streams.remove(exchange)
            // What has responded has not refused.
            let isRefused = code == .refusedStream && exchange.receiving.head == nil
            if isRefused {
                // A server that refuses the only stream accepts none.
                streams.limit = streams.exchanges.count
                if streams.exchanges.isEmpty { retire(exchange.connection, streams) }
                exchange.sending.progress = .refused
                if resendIfPossible(transfer, exchange) { return }
            }
            switch code {
            case .refusedStream where isRefused:
                refuse(exchange, .connectionLost, "the server refused the stream each time")
            // A response that is complete has ended already.
            case .none, .cancel, .internalError, .refusedStream:
                refuse(exchange, .connectionLost, "the server ended the stream before its response was complete")
            case .protocolError where exchange.receiving.head == nil:
                refuse(exchange, .invalidResponse, HTTP2Fault.response.message)
            default: refuse(exchange, .http2Failed, "the server reset the stream with code \(code.rawValue) of HTTP/2")
            }
        }

        /// A connection takes no new streams: its server is leaving, or it seems dead.
        func retire(_ connection: WireConnection, _ streams: HTTP2Streams) {
            guard !streams.isRetired else { return }
            streams.isRetired = true
            connection.host.http2.removeAll { $0 === connection }
            scheduleFlush(connection, streams)
        }

        func lose(
            _ connection: WireConnection,
            _ streams: HTTP2Streams,
            _ code: TransportError.Code = .connectionLost,
            text: String? = nil
        ) {
            retire(connection, streams)
            for exchange in streams.removeAll() {
                lost(exchange, exchange.receiving.head == nil ? .noResponse : .cutContent, code, text: text)
            }
            wire.idle.remove(connection)
            if wire.isOpen(connection) { close(connection) }
        }

        /// How long a connection that owes a response may be silent before a PING, and then again; in nanoseconds.
        static let silence: Int64 = 5_000_000_000

        func checkLiveness(_ now: Int64) {
            for connection in wire.all {
                guard let streams = connection.streams else { continue }
                // A WebSocket owes nothing, and has pings of its own.
                let owes = streams.exchanges.contains { $0.transfer?.isUpgraded == false }
                let interval = owes ? min(CurlLoop.silence, options.pingInterval) : options.pingInterval
                guard interval < MonotonicTime.never else { continue }
                let isPinged = streams.pingedAt != 0
                let (start, limit) = isPinged ? (streams.pingedAt, CurlLoop.silence) : (streams.receivedAt, interval)
                var end = MonotonicTime.after(start, limit)
                if now >= end {
                    if isPinged {
                        lose(connection, streams, text: "the connection gave no sign of life, not even to a PING")
                        continue
                    }
                    streams.session.ping()
                    streams.pingedAt = now
                    scheduleFlush(connection, streams)
                    end = MonotonicTime.after(now, CurlLoop.silence)
                }
                check(at: end)
            }
        }
    }
#endif
