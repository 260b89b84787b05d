#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    extension CurlLoop {
        /// The maximum number of bytes of one connection before others get their turn; fewer are sent of an exchange alone.
        static let (bytesPerTurn, sentBytesPerTurn) = (4 << 20, 1 << 20)

        func actOnWire() {
            swap(&shared.sockets.ready, &wire.ready)
            for one in wire.ready {
                guard let connection = wire.connection(one.descriptor) else {
                    rivalIsReady(one.descriptor)
                    continue
                }
                if let streams = connection.streams {
                    if one.canSend { flush(connection, streams) }
                    if one.canReceive, wire.isOpen(connection) { receive(connection, streams) }
                    continue
                }
                if one.canSend, let exchange = connection.exchange, let transfer = exchange.transfer,
                    exchange.wantsToSend
                {
                    write(transfer, exchange)
                }
                if one.canReceive, wire.isOpen(connection) { receive(connection) }
            }
            wire.ready.removeAll(keepingCapacity: true)
        }

        func receive(_ connection: WireConnection) {
            guard let exchange = connection.exchange, let transfer = exchange.transfer else {
                // Unexpected bytes, or the end of the connection (RFC 9112, 9.2).
                if !connection.isClean {
                    wire.idle.remove(connection)
                    close(connection)
                }
                return
            }
            var left = CurlLoop.bytesPerTurn
            while exchange.transfer === transfer, !exchange.receiving.isPaused {
                guard left > 0 else {
                    // TLS may hold bytes in memory, which the socket does not report.
                    let more: SocketSet.Ready = (exchange.connection.socket, canSend: false, canReceive: true)
                    return shared.sockets.ready.append(more)
                }
                let (count, room) = receiveOnce(transfer, exchange)
                if count == 0 { return ended(transfer, exchange, isInOrder: true) }
                if count == CNC_IO_AGAIN { return }
                if count < 0 { return ended(transfer, exchange, isInOrder: false) }
                left -= count
                if exchange.connection.connector == nil, count < room { return }
            }
        }

        /// Receives once, large content into the reader's memory: a count, 0 at the end or `CNC_IO_…`; and the room.
        private func receiveOnce(_ transfer: Transfer, _ exchange: WireExchange) -> (count: Int, room: Int) {
            let plain = exchange.receiving.held.count == 0 ? exchange.receiving.reader.plainContent : 0
            if plain > 0, let room = exchange.receiving.content.room(for: plain), let base = room.baseAddress {
                let count = exchange.connection.receive(base, room.count)
                guard count > 0 else { return (count, room.count) }
                exchange.receiving.content.took(count)
                exchange.receiving.reader.took(count)
                noteBytes(count, transfer, exchange)
                transfer.reportReceived(exchange.receiving.content.received)
                process(UnsafeRawBufferPointer(start: base, count: 0), transfer, exchange)
                return (count, room.count)
            }
            let count = exchange.connection.receive(wire.buffer, WirePool.bufferSize)
            guard count > 0 else { return (count, WirePool.bufferSize) }
            noteBytes(count, transfer, exchange)
            process(UnsafeRawBufferPointer(start: wire.buffer, count: count), transfer, exchange)
            return (count, WirePool.bufferSize)
        }

        func noteBytes(_ count: Int, _ transfer: Transfer, _ exchange: WireExchange) {
            exchange.lastActivity = shared.now
            exchange.receiving.bytes += Int64(count)
            guard exchange.receiving.firstByteAt == 0 else { return }
            exchange.receiving.firstByteAt = MonotonicTime.now()
            exchange.sending.progress = .responded
            if exchange.sending.sentAt == 0, exchange.sending.isDone {
                exchange.sending.sentAt = exchange.receiving.firstByteAt
            }
        }

        private func process(_ bytes: UnsafeRawBufferPointer, _ transfer: Transfer, _ exchange: WireExchange) {
            let isHeld = exchange.receiving.held.count > 0
            if isHeld, !exchange.receiving.held.append(bytes) {
                return refuse(exchange, .failed, "no memory for the response")
            }
            let input = isHeld ? exchange.receiving.held.buffer : bytes
            var position = 0
            while true {
                switch exchange.receiving.reader.next(input, &position) {
                case .needsMore:
                    guard keep(input, from: position, exchange) else {
                        return refuse(exchange, .failed, "no memory for the response")
                    }
                    return deliver(transfer, exchange)
                case .interim(let range, let status):
                    transfer.noteInterim(UnsafeRawBufferPointer(rebasing: input[range]), status)
                    if status == 100 { resumeAfterContinue(exchange) }
                case .head(let range):
                    exchange.receiving.head = exchange.receiving.reader.head
                    guard take(head: UnsafeRawBufferPointer(rebasing: input[range]), transfer, exchange) else { return }
                case .content(let range):
                    let content = UnsafeRawBufferPointer(rebasing: input[range])
                    guard take(content: content, transfer, exchange) else { return }
                case .end(let trailers):
                    guard transfer.end.trailers.append(UnsafeRawBufferPointer(rebasing: input[trailers])) else {
                        return refuse(exchange, .failed, "no memory for the trailers")
                    }
                    exchange.receiving.hasSurplus = position < input.count
                    return complete(transfer, exchange, isKept: true)
                case .switched(let range):
                    guard switched(UnsafeRawBufferPointer(rebasing: input[range]), transfer, exchange) else { return }
                case .fault(let fault): return refuse(exchange, fault.code, fault.message)
                }
            }
        }

        private func keep(_ input: UnsafeRawBufferPointer, from position: Int, _ exchange: WireExchange) -> Bool {
            if exchange.receiving.held.count > 0 {
                exchange.receiving.held.removeFirst(position)
                return true
            }
            return exchange.receiving.held.append(UnsafeRawBufferPointer(rebasing: input[position...]))
        }

        /// - Returns: Whether the exchange continues on this connection.
        func take(head lines: UnsafeRawBufferPointer, _ transfer: Transfer, _ exchange: WireExchange) -> Bool {
            guard let head = exchange.receiving.head else { return false }
            exchange.receiving.status = Int32(head.status)
            // A server that waited for a request in vain says so and closes: it has not seen this request.
            if head.status == 408, !head.keepsConnection, !exchange.isNew, transfer.outcome.interim.isEmpty {
                exchange.sending.progress = .refused
                if resendIfPossible(transfer, exchange) { return false }
            }
            guard transfer.outcome.head.append(lines) else {
                refuse(exchange, .failed, "no memory for the response")
                return false
            }
            transfer.note(head)
            // The server does not want the rest of the content (RFC 9112, 9.5): only the response is read.
            if head.status >= 300, !exchange.sending.isDone {
                (exchange.sending.isDone, exchange.sending.isRefused) = (true, true)
                exchange.sending.continueDeadline = 0
                exchange.sending.isPaused = false
                watch(exchange)
            } else {
                resumeAfterContinue(exchange)
            }
            return exchange.transfer === transfer
        }

        func takeHead(_ transfer: Transfer, _ exchange: CurlExchange) {
            transfer.outcome.status = exchange.receiving.status
            let head = exchange.receiving.head
            transfer.outcome.codings = head?.codings ?? ContentCodings()
            transfer.outcome.isDelimited = head?.framing.isDelimited ?? true
            transfer.outcome.timings = RawTimings(transfer)
        }

        func take(content: UnsafeRawBufferPointer, _ transfer: Transfer, _ exchange: WireExchange) -> Bool {
            guard let base = content.baseAddress else { return true }
            let (status, isDecoded) = (exchange.receiving.status, transfer.outcome.isDecoded)
            let refusal = exchange.receiving.content.take(base, content.count, status: status, isDecoded: isDecoded)
            transfer.reportReceived(exchange.receiving.content.received)
            switch refusal {
            case nil: return true
            case .tooLarge(let limit): abandon(transfer, TransportError.tooLarge(limit: limit))
            case .other(let code, let text, _): refuse(exchange, code, text)
            }
            return false
        }

        func deliver(_ transfer: Transfer, _ exchange: WireExchange) {
            guard let pipe = pipe(of: transfer, exchange) else { return }
            handOver(transfer, exchange, to: pipe)
            guard exchange.receiving.content.isFull, !pipe.wantRoom() else {
                if let streams = exchange.connection.streams { openWindow(exchange, streams) }
                return
            }
            exchange.receiving.isPaused = true
            watch(exchange)
        }

        func pipe(of transfer: Transfer, _ exchange: CurlExchange) -> ChunkPipe? {
            switch transfer.parameters.receiver {
            case .stream(let pipe): exchange.receiving.head == nil ? nil : pipe
            case .duplex(let pipe): transfer.isUpgraded ? pipe : nil
            case .collect, .discard: nil
            }
        }

        func handOver(_ transfer: Transfer, _ exchange: CurlExchange, to pipe: ChunkPipe) {
            if let continuation = transfer.continuation {
                takeHead(transfer, exchange)
                transfer.continuation = nil
                transfer.leavesUploadToCaller = false
                ready.append(continuation)
            }
            if exchange.receiving.content.bytes.count > 0 {
                let chunk = exchange.receiving.content.bytes.takeData()
                exchange.receiving.content.unread = pipe.deliver(chunk)
            }
        }

        func resumeReceiving(_ transfer: Transfer) {
            guard let exchange = transfer.carrier.exchange, exchange.receiving.isPaused,
                let pipe = pipe(of: transfer, exchange)
            else { return }
            exchange.receiving.content.unread = pipe.unread
            exchange.receiving.isPaused = false
            exchange.lastActivity = MonotonicTime.now()
            switch transfer.carrier {
            case .multi(let handle): resume(transfer, handle)
            case .wire(let exchange):
                if let streams = exchange.connection.streams { return openWindow(exchange, streams) }
                watch(exchange)
                receive(exchange.connection)
            case .none, .connecting, .awaiting: break
            }
        }

        private func ended(_ transfer: Transfer, _ exchange: WireExchange, isInOrder: Bool) {
            let isUntilClose = transfer.isUpgraded || exchange.receiving.head?.framing == .untilClose
            switch exchange.receiving.reader.close() {
            case .end where isInOrder && isUntilClose && !transfer.isUpgraded && exchange.connection.isCut:
                let text = "the connection ended without the closing alert of TLS, and nothing else says"
                refuse(exchange, .connectionLost, text + " whether the content is whole (RFC 9112, 9.8)")
            case .end where isInOrder || !isUntilClose: complete(transfer, exchange, isKept: false)
            case .fault(let fault): lost(exchange, fault)
            default: lost(exchange, .cutContent)
            }
        }

        /// An exchange has lost its connection, by the fault or for a reason that holds for all exchanges on it.
        func lost(_ exchange: WireExchange, _ fault: WireFault, _ code: TransportError.Code? = nil, text: String? = nil)
        {
            guard let transfer = exchange.transfer else { return }
            if fault == .noResponse, resendIfPossible(transfer, exchange) { return }
            let isInDoubt = !exchange.isNew && exchange.sending.progress.evidence == .possiblyProcessed
            let usual = fault == .noResponse && isInDoubt ? CurlFailure.notRepeatedMessage : fault.message
            refuse(exchange, code ?? fault.code, text ?? usual)
        }

        func refuse(_ exchange: WireExchange, _ code: TransportError.Code, _ text: String) {
            guard let transfer = exchange.transfer else { return }
            let failure = CurlFailure.make(code, text, phase: CurlFailure.phase(transfer), transfer)
            if let pipe = pipe(of: transfer, exchange) { handOver(transfer, exchange, to: pipe) }
            abandon(transfer, failure)
        }

        func takeArrived(_ transfer: Transfer, _ exchange: CurlExchange) {
            guard transfer.continuation != nil, exchange.receiving.head != nil, transfer.outcome.head.count > 0 else {
                return
            }
            takeHead(transfer, exchange)
            swap(&transfer.outcome.body, &exchange.receiving.content.bytes)
        }

        /// Gives the rest of a response to its reader or, if it has none, all of it to the task.
        func takeAll(_ transfer: Transfer, _ exchange: CurlExchange) {
            if let pipe = pipe(of: transfer, exchange) {
                handOver(transfer, exchange, to: pipe)
                // Known only at the end of the content, after which the reader reads them.
                transfer.end.timings = RawTimings(transfer)
            } else {
                takeHead(transfer, exchange)
                swap(&transfer.outcome.body, &exchange.receiving.content.bytes)
            }
        }

        func complete(_ transfer: Transfer, _ exchange: WireExchange, isKept: Bool) {
            takeAll(transfer, exchange)
            exchange.receiving.isEnded = true
            let head = exchange.receiving.head
            let keeps =
                isKept && head?.keepsConnection == true && !exchange.receiving.hasSurplus
                && exchange.connection.keepAlive.note(head?.keepAlive ?? KeepAlive.Field())
                && exchange.sending.isDone && !exchange.sending.hasFailed && !exchange.sending.isRefused
                && !transfer.wire.closes
            leave(transfer, exchange, keeps: keeps)
            conclude(transfer, nil)
        }
    }
#endif
