#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    extension CurlLoop {
        /// The maximum number of bytes for one exchange before others get their turn.
        private static let turn = 4 << 20

        /// Handles connections that are readable or writable.
        func actOnWire() {
            swap(&shared.sockets.ready, &wire.ready)
            for one in wire.ready {
                guard let connection = wire.connection(one.descriptor) else {
                    rivalIsReady(one.descriptor)
                    continue
                }
                if one.canSend, let transfer = connection.transfer, connection.wantsToSend {
                    write(transfer, connection)
                }
                if one.canReceive, wire.connection(one.descriptor) === connection { receive(connection) }
            }
            wire.ready.removeAll(keepingCapacity: true)
        }

        /// Receives what has arrived.
        func receive(_ connection: WireConnection) {
            guard let transfer = connection.transfer else {
                // Unexpected bytes, or the end of the connection (RFC 9112, 9.2).
                if !connection.isClean {
                    wire.idle.remove(connection)
                    close(connection)
                }
                return
            }
            var left = CurlLoop.turn
            while connection.transfer === transfer, !connection.receiving.isPaused {
                guard left > 0 else {
                    // TLS may hold bytes in memory, which the socket does not report.
                    let more = SocketSet.Ready(descriptor: connection.socket, canSend: false, canReceive: true)
                    return shared.sockets.ready.append(more)
                }
                let (count, room) = receiveOnce(transfer, connection)
                if count == 0 { return ended(transfer, connection, isInOrder: true) }
                if count == CNC_IO_AGAIN { return }
                if count < 0 { return ended(transfer, connection, isInOrder: false) }
                left -= count
                if connection.connector == nil, count < room { return }
            }
        }

        /// Receives once: large content directly into the reader's memory, anything else for parsing.
        ///
        /// - Returns: The number of bytes, 0 at the end, or a `CNC_IO_…` code; and how many bytes there was room for.
        private func receiveOnce(_ transfer: Transfer, _ connection: WireConnection) -> (count: Int, room: Int) {
            let plain = connection.receiving.held.count == 0 ? connection.receiving.reader.plainContent : 0
            if plain > 0, let room = connection.receiving.content.room(for: plain), let base = room.baseAddress {
                let count = connection.receive(base, room.count)
                guard count > 0 else { return (count, room.count) }
                connection.receiving.content.took(count)
                connection.receiving.reader.took(count)
                noteBytes(count, transfer, connection)
                if let monitor = transfer.monitor { tell(monitor, connection) }
                process(UnsafeRawBufferPointer(start: base, count: 0), transfer, connection)
                return (count, room.count)
            }
            let count = connection.receive(wire.buffer, WirePool.bufferSize)
            guard count > 0 else { return (count, WirePool.bufferSize) }
            noteBytes(count, transfer, connection)
            process(UnsafeRawBufferPointer(start: wire.buffer, count: count), transfer, connection)
            return (count, WirePool.bufferSize)
        }

        private func noteBytes(_ count: Int, _ transfer: Transfer, _ connection: WireConnection) {
            connection.lastActivity = shared.now
            connection.receiving.bytes += Int64(count)
            guard connection.receiving.firstByteAt == 0 else { return }
            connection.receiving.firstByteAt = MonotonicTime.now()
            connection.sending.progress = .responded
            if connection.sending.sentAt == 0, connection.sending.isDone {
                connection.sending.sentAt = connection.receiving.firstByteAt
            }
        }

        private func tell(_ monitor: ExchangeMonitor, _ connection: WireConnection) {
            let received = connection.receiving.content.received
            monitor.update { $0.bytesReceived = received }
        }

        /// Parses bytes that have arrived, after those that were kept.
        private func process(_ bytes: UnsafeRawBufferPointer, _ transfer: Transfer, _ connection: WireConnection) {
            let isHeld = connection.receiving.held.count > 0
            if isHeld, let base = bytes.baseAddress {
                guard connection.receiving.held.append(base, count: bytes.count) else {
                    return refuse(transfer, connection, .failed, "no memory for the response")
                }
            }
            let input = isHeld ? connection.receiving.held.buffer : bytes
            var position = 0
            while true {
                switch connection.receiving.reader.next(input, &position) {
                case .needsMore:
                    guard keep(input, position, isHeld: isHeld, connection) else {
                        return refuse(transfer, connection, .failed, "no memory for the response")
                    }
                    return deliver(transfer, connection)
                case .interim(let range, let status): noteInterim(input, range, status, transfer, connection)
                case .head(let range):
                    guard take(head: input, range, transfer, connection) else { return }
                case .content(let range):
                    guard take(content: input, range, transfer, connection) else { return }
                case .end(let trailers):
                    if !trailers.isEmpty, let base = input.baseAddress {
                        let first = base + trailers.lowerBound
                        guard connection.receiving.trailers.append(first, count: trailers.count) else {
                            return refuse(transfer, connection, .failed, "no memory for the trailers")
                        }
                    }
                    connection.receiving.hasSurplus = position < input.count
                    return complete(transfer, connection, isKept: true)
                case .switched(let range):
                    guard switched(input, range, transfer, connection) else { return }
                case .fault(let fault): return refuse(transfer, connection, fault.code, fault.message)
                }
            }
        }

        /// Keeps the beginning of something incomplete.
        ///
        /// - Returns: Whether there was memory for it.
        private func keep(
            _ input: UnsafeRawBufferPointer,
            _ position: Int,
            isHeld: Bool,
            _ connection: WireConnection
        ) -> Bool {
            if isHeld {
                connection.receiving.held.removeFirst(position)
                return true
            }
            guard position < input.count, let base = input.baseAddress else { return true }
            return connection.receiving.held.append(base + position, count: input.count - position)
        }

        private func take(
            content input: UnsafeRawBufferPointer,
            _ range: Range<Int>,
            _ transfer: Transfer,
            _ connection: WireConnection
        ) -> Bool {
            guard let base = input.baseAddress else { return true }
            let refusal = connection.receiving.content.take(
                base + range.lowerBound,
                range.count,
                status: connection.receiving.status,
                isDecoded: connection.receiving.isDecoded
            )
            if let monitor = transfer.monitor { tell(monitor, connection) }
            switch refusal {
            case nil: return true
            case .tooLarge(let limit):
                takeArrived(transfer, connection)
                leave(transfer, connection, keeps: false)
                conclude(transfer, TransportError.tooLarge(limit: limit))
            case .outOfMemory: refuse(transfer, connection, .failed, "no memory for the response")
            }
            return false
        }

        /// Gives a reader what has arrived, and reads on when there is room.
        func deliver(_ transfer: Transfer, _ connection: WireConnection) {
            guard let pipe = pipe(of: transfer, connection) else { return }
            handOver(transfer, connection, to: pipe)
            guard connection.receiving.content.isFull, !pipe.wantRoom() else { return }
            connection.receiving.isPaused = true
            watch(connection)
        }

        /// The reader of content from now on, if the head was there.
        private func pipe(of transfer: Transfer, _ connection: WireConnection) -> ChunkPipe? {
            switch transfer.receiver {
            case .stream(let pipe): connection.receiving.reader.head == nil ? nil : pipe
            case .duplex(let pipe): transfer.isSwitched ? pipe : nil
            case .collect, .discard: nil
            }
        }

        private func handOver(_ transfer: Transfer, _ connection: WireConnection, to pipe: ChunkPipe) {
            if let continuation = transfer.continuation {
                takeHead(transfer, connection)
                transfer.continuation = nil
                transfer.leavesUploadToCaller = false
                ready.append(continuation)
            }
            if connection.receiving.content.bytes.count > 0 {
                let chunk = connection.receiving.content.bytes.takeData()
                connection.receiving.content.unread = pipe.deliver(chunk)
            }
        }

        /// A reader has made room.
        func resumeReceiving(_ transfer: Transfer, _ connection: WireConnection) {
            guard connection.receiving.isPaused, let pipe = pipe(of: transfer, connection) else { return }
            connection.receiving.content.unread = pipe.unread
            connection.receiving.isPaused = false
            connection.lastActivity = MonotonicTime.now()
            watch(connection)
            receive(connection)
        }

        /// The connection has ended, or was broken.
        private func ended(_ transfer: Transfer, _ connection: WireConnection, isInOrder: Bool) {
            let isUntilClose = transfer.isSwitched || connection.receiving.reader.head?.framing == .untilClose
            switch connection.receiving.reader.close() {
            case .end where isInOrder && isUntilClose && !transfer.isSwitched && connection.isCut:
                refuse(
                    transfer,
                    connection,
                    .connectionLost,
                    "the connection ended without the closing alert of TLS, and nothing else says whether the content is whole"
                        + " (RFC 9112, 9.8)"
                )
            case .end where isInOrder || !isUntilClose: complete(transfer, connection, isKept: false)
            case .fault(let fault): lost(transfer, connection, fault)
            default: lost(transfer, connection, .cutContent)
            }
        }

        private func lost(_ transfer: Transfer, _ connection: WireConnection, _ fault: WireFault) {
            if fault == .noResponse, repeats(transfer, connection) { return }
            var text = fault.message
            if fault == .noResponse, !connection.isNew, connection.sending.progress.evidence == .perhapsSeen {
                text =
                    "the kept connection ended without a response; the request is not idempotent and was not repeated"
            }
            refuse(transfer, connection, fault.code, text)
        }

        /// Ends a failed exchange; a reader gets what arrived before.
        func refuse(
            _ transfer: Transfer,
            _ connection: WireConnection,
            _ code: TransportError.Code,
            _ text: String
        ) {
            let failure = CurlFailure.make(code, text, phase: CurlFailure.phase(transfer), transfer)
            if let pipe = pipe(of: transfer, connection) { handOver(transfer, connection, to: pipe) }
            takeArrived(transfer, connection)
            leave(transfer, connection, keeps: false)
            conclude(transfer, failure)
        }

        /// Takes the head and what has arrived behind it, for a call that fails with its content.
        func takeArrived(_ transfer: Transfer, _ connection: WireConnection) {
            guard transfer.continuation != nil, connection.receiving.reader.head != nil, transfer.head.count > 0 else {
                return
            }
            takeHead(transfer, connection)
            swap(&transfer.body, &connection.receiving.content.bytes)
        }

        /// Hands over a complete response.
        private func complete(_ transfer: Transfer, _ connection: WireConnection, isKept: Bool) {
            if let pipe = pipe(of: transfer, connection) {
                handOver(transfer, connection, to: pipe)
                swap(&transfer.trailers, &connection.receiving.trailers)
                transfer.endTimings = RawTimings(transfer, connection)
            } else {
                takeHead(transfer, connection)
                swap(&transfer.trailers, &connection.receiving.trailers)
                swap(&transfer.body, &connection.receiving.content.bytes)
            }
            let head = connection.receiving.reader.head
            let keeps =
                isKept && head?.keepsConnection == true && !connection.receiving.hasSurplus
                && connection.keepAlive.note(head?.keepAlive ?? KeepAlive.Field())
                && connection.sending.isDone && !connection.sending.hasFailed && !connection.sending.isRefused
                && !transfer.wire.closes
            leave(transfer, connection, keeps: keeps)
            conclude(transfer, nil)
        }
    }
#endif
