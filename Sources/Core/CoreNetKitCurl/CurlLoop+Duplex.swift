#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    /// Bytes for a connection that speaks another protocol; `@unchecked Sendable`: the sender waits.
    final class DuplexWrite: @unchecked Sendable {
        let data: Data
        @exclusivity(unchecked) var written = 0
        @exclusivity(unchecked) private var continuation: UnsafeContinuation<Void, any Error>?

        init(_ data: Data, _ continuation: UnsafeContinuation<Void, any Error>) {
            (self.data, self.continuation) = (data, continuation)
        }

        func finish(_ failure: (any Error)?) {
            guard let continuation else { return }
            self.continuation = nil
            if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
        }
    }

    // Connections after a 101: this package passes their bytes on without interpreting them.
    extension CurlLoop {
        /// From here on the server speaks the other protocol (RFC 9110, 15.2.2), without the limits of an exchange.
        func switched(_ head: UnsafeRawBufferPointer, _ transfer: Transfer, _ exchange: WireExchange) -> Bool {
            guard transfer.outcome.head.append(head) else {
                refuse(exchange, .failed, "no memory for the response")
                return false
            }
            switched(transfer, exchange)
            return true
        }

        func switched(_ transfer: Transfer, _ exchange: WireExchange) {
            exchange.receiving.status = 101
            exchange.receiving.content.becomeStream()
            transfer.isUpgraded = true
            wire.switched += 1
            limiter.release(transfer)
        }

        /// A connection on which no HTTP is spoken: it is handed over as it is.
        func handOver(_ transfer: Transfer, _ exchange: WireExchange) {
            exchange.receiving.reader = .behindSwitch
            exchange.sending.isDone = true
            switched(transfer, exchange)
            deliver(transfer, exchange)
            watch(exchange)
        }

        func failPendingWrites(_ transfer: Transfer, _ exchange: WireExchange) {
            wire.switched -= 1
            let left = exchange.outbox
            exchange.outbox = []
            for write in left { write.finish(CurlLoop.lost(write)) }
        }

        private static func lost(_ write: DuplexWrite) -> TransportError {
            TransportError(
                .connectionLost,
                phase: .send,
                message: "the connection ended before all bytes were sent",
                isSafeToResend: write.written == 0
            )
        }

        func send(_ write: DuplexWrite, _ transfer: Transfer) {
            guard case .wire(let exchange) = transfer.carrier, transfer.isUpgraded else {
                return write.finish(CurlLoop.lost(write))
            }
            exchange.outbox.append(write)
            if exchange.outbox.count == 1 { flush(transfer, exchange) }
        }

        func withdraw(_ write: DuplexWrite, _ transfer: Transfer) {
            guard case .wire(let exchange) = transfer.carrier, write.written == 0,
                let index = exchange.outbox.firstIndex(where: { $0 === write }),
                index > 0 || exchange.sending.piece.count == 0
            else { return }
            exchange.outbox.remove(at: index)
            write.finish(CancellationError())
        }

        func flush(_ transfer: Transfer, _ exchange: WireExchange) {
            if let streams = exchange.connection.streams { return sendSwitched(exchange, streams) }
            var left = CurlLoop.sentBytesPerTurn
            while left > 0, let write = exchange.outbox.first {
                let count = write.data.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { exchange.connection.send($0 + write.written, bytes.count - write.written) }
                        ?? 0
                }
                if count == CNC_IO_AGAIN { break }
                guard count >= 0 else {
                    let text = "the connection was broken off"
                    return abandon(transfer, CurlFailure.make(.connectionLost, text, phase: .send, transfer))
                }
                write.written += count
                left -= count
                guard write.written == write.data.count else { continue }
                exchange.outbox.removeFirst()
                write.finish(nil)
            }
            watch(exchange)
        }
    }

    extension DuplexStream {
        init(pipe: ChunkPipe, transfer: Transfer, loop: CurlLoop) {
            self.init(
                receive: {
                    try Task.checkCancellation()
                    return try await withTaskCancellationHandler {
                        try await pipe.next { _ = loop.submit(.resumeReceiving(transfer)) }
                    } onCancel: {
                        pipe.cancelReaders()
                    }
                },
                send: { data in
                    try Task.checkCancellation()
                    let pending = Locked<DuplexWrite?>(nil)  // what a cancelled task withdraws
                    try await withTaskCancellationHandler {
                        try await withUnsafeThrowingContinuation { continuation in
                            let write = DuplexWrite(data, continuation)
                            pending.withLock { $0 = write }
                            if Task.isCancelled { return write.finish(CancellationError()) }
                            if !loop.submit(.send(transfer, write)) { write.finish(CurlFailure.shutDown) }
                        }
                        cnc_task_resumed()
                    } onCancel: {
                        if let write = pending.withLock({ $0 }) { _ = loop.submit(.withdraw(transfer, write)) }
                    }
                },
                close: { _ = loop.submit(.cancel(transfer)) },
                source: PipeSource(pipe, transfer, loop)
            )
        }
    }

    /// The bytes of a switched connection, for a reader that waits without a suspended call.
    private final class PipeSource: DuplexSource {
        private let pipe: ChunkPipe
        private let transfer: Transfer
        private let loop: CurlLoop

        init(_ pipe: ChunkPipe, _ transfer: Transfer, _ loop: CurlLoop) {
            (self.pipe, self.transfer, self.loop) = (pipe, transfer, loop)
        }

        func poll() -> Result<Data?, any Error>? { pipe.take { _ = loop.submit(.resumeReceiving(transfer)) } }

        func registerWaker(_ wake: @escaping @Sendable () -> Void) -> Bool { pipe.registerWaker(wake) }
    }
#endif
