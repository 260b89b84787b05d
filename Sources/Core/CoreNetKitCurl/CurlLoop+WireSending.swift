#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    extension CurlLoop {
        /// How long to wait for the server to ask for the content, in nanoseconds; then it is sent (RFC 9110, 10.1.1).
        static let continueTimeout: Int64 = 1_000_000_000

        func write(_ transfer: Transfer, _ exchange: WireExchange) {
            if transfer.isUpgraded { return flush(transfer, exchange) }
            while exchange.sending.written < transfer.wire.count {
                let written = exchange.sending.written
                let count = exchange.connection.send(transfer.wire.bytes + written, transfer.wire.count - written)
                guard count >= 0 else { return stopped(transfer, exchange, count) }
                exchange.sending.written = written + count
                exchange.sending.progress.advance(to: written + count > transfer.wire.headCount ? .part : .head)
                exchange.lastActivity = shared.now
            }
            guard transfer.wire.verb == .upload, transfer.wire.framing != .length(0) else {
                return finishSending(exchange)
            }
            if transfer.wire.expectsContinue, exchange.sending.progress == .head, transfer.outcome.interim.isEmpty,
                !exchange.sending.hasWaited
            {
                return awaitContinue(exchange)
            }
            guard exchange.sending.continueDeadline == 0 else { return }
            writeContent(transfer, exchange)
        }

        func awaitContinue(_ exchange: WireExchange) {
            exchange.sending.hasWaited = true
            exchange.sending.continueDeadline = MonotonicTime.after(shared.now, CurlLoop.continueTimeout)
            check(at: exchange.sending.continueDeadline)
            watch(exchange)
        }

        /// The server has asked for the content, or the wait is over: it is sent when the socket has room, because
        /// sending may end the exchange, whose received bytes the caller is still processing.
        func resumeAfterContinue(_ exchange: WireExchange) {
            guard exchange.sending.continueDeadline != 0 else { return }
            exchange.sending.continueDeadline = 0
            exchange.lastActivity = shared.now
            if let streams = exchange.connection.streams, let transfer = exchange.transfer {
                sendContent(transfer, exchange, streams)
            }
            watch(exchange)
        }

        private func writeContent(_ transfer: Transfer, _ exchange: WireExchange) {
            var left = CurlLoop.sentBytesPerTurn
            while left > 0 {
                if exchange.sending.piece.count == 0 {
                    if exchange.sending.isSourceEnded { return finishSending(exchange) }
                    guard let count = read(transfer, exchange) else { return }
                    left -= count
                } else {
                    let count = sendPiece(exchange)
                    guard count >= 0 else { return stopped(transfer, exchange, count) }
                    left -= count
                }
            }
            watch(exchange)
        }

        private func sendPiece(_ exchange: WireExchange) -> Int {
            let written = exchange.sending.pieceWritten
            guard let base = exchange.sending.piece.base else { return 0 }
            let count = exchange.connection.send(base + written, exchange.sending.piece.count - written)
            guard count >= 0 else { return count }
            exchange.sending.pieceWritten = written + count
            exchange.sending.progress.advance(to: .part)
            exchange.lastActivity = shared.now
            if exchange.sending.pieceWritten == exchange.sending.piece.count {
                exchange.sending.piece.removeAll()
                exchange.sending.pieceWritten = 0
            }
            return count
        }

        /// Reads content into a piece, or sends it from memory: the bytes sent; `nil` if none can be sent now.
        private func read(_ transfer: Transfer, _ exchange: WireExchange) -> Int? {
            if case .data(let data, let offset) = transfer.upload, transfer.wire.framing != .chunked {
                let count = data.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { exchange.connection.send($0 + offset, bytes.count - offset) } ?? 0
                }
                guard count >= 0 else {
                    stopped(transfer, exchange, count)
                    return nil
                }
                transfer.upload = .data(data, offset: offset + count)
                exchange.sending.progress.advance(to: .part)
                exchange.lastActivity = shared.now
                note(count, transfer, exchange)
                return count
            }
            switch transfer.upload.read(into: wire.buffer, count: WirePool.bufferSize) {
            case .bytes(let count):
                guard fill(exchange, count, isChunked: transfer.wire.framing == .chunked) else {
                    refuse(exchange, .failed, "no memory for the request")
                    return nil
                }
                note(count, transfer, exchange)
                return 0
            case .end:
                exchange.sending.isSourceEnded = true
                if transfer.wire.framing == .chunked { addLastChunk(transfer, exchange) }
                return 0
            case .pause:
                exchange.sending.isPaused = true
                watch(exchange)
                return nil
            case .failure(let failure):
                refuse(exchange, failure.code, failure.message)
                return nil
            }
        }

        private func addLastChunk(_ transfer: Transfer, _ exchange: WireExchange) {
            let trailers = transfer.wire.hasTrailers ? transfer.upload.trailers : []
            guard let room = exchange.sending.piece.room(of: RequestWriter.lastChunkCount(trailers)),
                let base = room.baseAddress
            else { return }
            var writer = RequestWriter(base)
            writer.lastChunk(trailers)
            exchange.sending.piece.added(writer.count)
        }

        func note(_ count: Int, _ transfer: Transfer, _ exchange: WireExchange) {
            exchange.sending.sent += Int64(count)
            transfer.reportSent(exchange.sending.sent)
            if case .length(let length) = transfer.wire.framing, exchange.sending.sent >= length {
                exchange.sending.isSourceEnded = true
            }
        }

        private func fill(_ exchange: WireExchange, _ count: Int, isChunked: Bool) -> Bool {
            let overhead = isChunked ? RequestWriter.chunkOverhead : 0
            guard let room = exchange.sending.piece.room(of: count + overhead), let base = room.baseAddress else {
                return false
            }
            var writer = RequestWriter(base)
            if isChunked { writer.chunk(size: count) }
            writer.write(UnsafeRawBufferPointer(start: wire.buffer, count: count))
            if isChunked { writer.endLine() }
            exchange.sending.piece.added(writer.count)
            return true
        }

        func finishSending(_ exchange: WireExchange) {
            exchange.sending.progress.advance(to: .all)
            exchange.sending.isDone = true
            exchange.sending.sentAt = MonotonicTime.now()
            watch(exchange)
        }

        /// The connection accepts no bytes now, or no more at all; a response may have arrived even so.
        private func stopped(_ transfer: Transfer, _ exchange: WireExchange, _ result: Int) {
            if result == CNC_IO_AGAIN { return watch(exchange) }
            (exchange.sending.hasFailed, exchange.sending.isDone) = (true, true)
            watch(exchange)
            receive(exchange.connection)
        }

        func resumeSending(_ transfer: Transfer) {
            guard let exchange = transfer.carrier.exchange, exchange.sending.isPaused else { return }
            exchange.sending.isPaused = false
            exchange.lastActivity = MonotonicTime.now()
            switch transfer.carrier {
            case .multi(let handle): resume(transfer, handle)
            case .wire(let exchange):
                if let streams = exchange.connection.streams { return sendContent(transfer, exchange, streams) }
                if !exchange.sending.isDone { writeContent(transfer, exchange) }
            case .none, .connecting, .awaiting: break
            }
        }

        /// Registers the socket events that an HTTP/1.1 exchange waits for; streams share those of their connection.
        func watch(_ exchange: WireExchange) {
            guard exchange.connection.streams == nil else { return }
            var what = exchange.receiving.isPaused ? 0 : CNC_POLL_IN
            if exchange.wantsToSend { what |= CNC_POLL_OUT }
            shared.sockets.watch(exchange.connection.socket, for: Int32(what))
        }
    }
#endif
