#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    extension CurlLoop {
        /// How long to wait for the server to ask for the content, in nanoseconds; then it is sent (RFC 9110, 10.1.1).
        static let continuePatience: Int64 = 1_000_000_000
        /// The maximum number of bytes for one exchange before others get their turn.
        private static let turn = 1 << 20

        /// Sends what can be sent now.
        func write(_ transfer: Transfer, _ connection: WireConnection) {
            if transfer.isSwitched { return flush(transfer, connection) }
            let block = transfer.wire.block
            while connection.sending.written < block.count {
                let written = connection.sending.written
                let count = connection.send(block.bytes + written, block.count - written)
                guard count >= 0 else { return stopped(transfer, connection, count) }
                connection.sending.written = written + count
                connection.sending.progress.advance(to: written + count > block.headCount ? .part : .head)
                connection.lastActivity = shared.now
            }
            guard transfer.wire.verb == .upload, transfer.wire.framing != .length(0) else {
                return finishSending(connection)
            }
            if transfer.wire.expectsContinue, connection.sending.progress == .head,
                connection.receiving.interim.isEmpty,
                !connection.sending.hasWaited
            {
                connection.sending.hasWaited = true
                connection.sending.continueAt = MonotonicTime.after(shared.now, CurlLoop.continuePatience)
                nextDeadline = min(nextDeadline, connection.sending.continueAt)
                return watch(connection)
            }
            guard connection.sending.continueAt == 0 else { return }
            writeContent(transfer, connection)
        }

        /// The server has asked for the content, or the wait for that is over.
        ///
        /// It is sent when the socket has room: the caller is still processing received bytes, and sending may end the
        /// exchange.
        func goOn(_ connection: WireConnection) {
            guard connection.sending.continueAt != 0 else { return }
            connection.sending.continueAt = 0
            connection.lastActivity = shared.now
            watch(connection)
        }

        func goOnWithoutContinue(_ connection: WireConnection, _ now: Int64) {
            let end = connection.sending.continueAt
            guard now >= end else { return nextDeadline = min(nextDeadline, end) }
            goOn(connection)
        }

        private func writeContent(_ transfer: Transfer, _ connection: WireConnection) {
            var left = CurlLoop.turn
            while left > 0 {
                if connection.sending.piece.count == 0 {
                    if connection.sending.isSourceEnded { return finishSending(connection) }
                    switch read(transfer, connection) {
                    case .bytes(let count): left -= count
                    case .again, .broken: return
                    }
                } else {
                    let count = sendPiece(connection)
                    guard count >= 0 else { return stopped(transfer, connection, count) }
                    left -= count
                }
            }
            watch(connection)
        }

        private func sendPiece(_ connection: WireConnection) -> Int {
            let written = connection.sending.pieceWritten
            guard let base = connection.sending.piece.base else { return 0 }
            let count = connection.send(base + written, connection.sending.piece.count - written)
            guard count >= 0 else { return count }
            connection.sending.pieceWritten = written + count
            connection.sending.progress.advance(to: .part)
            connection.lastActivity = shared.now
            if connection.sending.pieceWritten == connection.sending.piece.count {
                connection.sending.piece.removeAll()
                connection.sending.pieceWritten = 0
            }
            return count
        }

        private enum Reading {
            case bytes(Int)
            /// Nothing can be sent for now.
            case again
            /// The exchange is over.
            case broken
        }

        /// Reads content into a piece; content in memory is sent from its place.
        private func read(_ transfer: Transfer, _ connection: WireConnection) -> Reading {
            if case .data(let data, let offset) = transfer.upload, transfer.wire.framing != .chunked {
                let count = data.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { connection.send($0 + offset, bytes.count - offset) } ?? 0
                }
                guard count >= 0 else {
                    stopped(transfer, connection, count)
                    return connection.transfer === transfer ? .again : .broken
                }
                transfer.upload = .data(data, offset: offset + count)
                connection.sending.progress.advance(to: .part)
                connection.lastActivity = shared.now
                note(count, transfer, connection)
                return .bytes(count)
            }
            switch transfer.upload.read(into: wire.buffer, count: WirePool.bufferSize) {
            case .bytes(let count):
                guard fill(connection, count, isChunked: transfer.wire.framing == .chunked) else {
                    return fail(transfer, connection, .failed, "no memory for the request")
                }
                note(count, transfer, connection)
                return .bytes(0)
            case .end:
                connection.sending.isSourceEnded = true
                if transfer.wire.framing == .chunked, let room = connection.sending.piece.room(of: 8) {
                    var writer = RequestWriter(room.baseAddress ?? wire.buffer)
                    writer.lastChunk()
                    connection.sending.piece.added(writer.count)
                }
                return .bytes(0)
            case .pause:
                connection.sending.isPaused = true
                watch(connection)
                return .again
            case .failure(let failure):
                return fail(transfer, connection, failure.code, failure.message)
            }
        }

        /// Notes content that is on its way.
        private func note(_ count: Int, _ transfer: Transfer, _ connection: WireConnection) {
            connection.sending.sent += Int64(count)
            let sent = connection.sending.sent
            if let monitor = transfer.monitor { monitor.update { $0.bytesSent = sent } }
            if case .length(let length) = transfer.wire.framing, sent >= length {
                connection.sending.isSourceEnded = true
            }
        }

        private func fill(_ connection: WireConnection, _ count: Int, isChunked: Bool) -> Bool {
            let overhead = isChunked ? RequestWriter.chunkOverhead : 0
            guard let room = connection.sending.piece.room(of: count + overhead), let base = room.baseAddress else {
                return false
            }
            var writer = RequestWriter(base)
            if isChunked { writer.chunk(size: count) }
            writer.write(UnsafeRawBufferPointer(start: wire.buffer, count: count))
            if isChunked { writer.endLine() }
            connection.sending.piece.added(writer.count)
            return true
        }

        private func fail(
            _ transfer: Transfer,
            _ connection: WireConnection,
            _ code: TransportError.Code,
            _ text: String
        ) -> Reading {
            let failure = CurlFailure.make(code, text, phase: CurlFailure.phase(transfer), transfer)
            leave(transfer, connection, keeps: false)
            conclude(transfer, failure)
            return .broken
        }

        private func finishSending(_ connection: WireConnection) {
            connection.sending.progress.advance(to: .all)
            connection.sending.isDone = true
            connection.sending.sentAt = MonotonicTime.now()
            watch(connection)
        }

        /// The connection accepts no bytes now, or no more at all; a response may have arrived even so.
        private func stopped(_ transfer: Transfer, _ connection: WireConnection, _ result: Int) {
            if result == CNC_IO_AGAIN { return watch(connection) }
            (connection.sending.hasFailed, connection.sending.isDone) = (true, true)
            watch(connection)
            receive(connection)
        }

        /// The body has more content.
        func resumeSending(_ transfer: Transfer, _ connection: WireConnection) {
            guard connection.sending.isPaused else { return }
            connection.sending.isPaused = false
            connection.lastActivity = MonotonicTime.now()
            if !connection.sending.isDone { writeContent(transfer, connection) }
        }

        /// Registers what a connection waits for.
        func watch(_ connection: WireConnection) {
            var what = connection.receiving.isPaused ? 0 : CNC_POLL_IN
            if connection.wantsToSend { what |= CNC_POLL_OUT }
            shared.sockets.watch(connection.socket, for: Int32(what))
        }
    }
#endif
