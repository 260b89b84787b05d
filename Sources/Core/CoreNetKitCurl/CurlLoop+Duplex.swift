#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitWire
    import CNetCurl

    /// Bytes on their way to a connection that speaks another protocol.
    ///
    /// `@unchecked Sendable`: it is handed over; the sending task waits until the owner thread resumes it.
    final class DuplexWrite: @unchecked Sendable {
        let data: Data
        @exclusivity(unchecked) var written = 0
        @exclusivity(unchecked) private var continuation: UnsafeContinuation<Void, any Error>?

        init(_ data: Data, _ continuation: UnsafeContinuation<Void, any Error>) {
            (self.data, self.continuation) = (data, continuation)
        }

        /// Resumes the sending task, once.
        func finish(_ failure: (any Error)?) {
            guard let continuation else { return }
            self.continuation = nil
            if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
        }
    }

    // Connections after a 101: this package passes their bytes on without interpreting them.
    extension CurlLoop {
        private static let turn = 1 << 20

        /// From here on the server speaks the other protocol (RFC 9110, 15.2.2).
        ///
        /// The connection no longer counts towards the exchange limits: their opener decides how many.
        func switched(
            _ input: UnsafeRawBufferPointer,
            _ range: Range<Int>,
            _ transfer: Transfer,
            _ connection: WireConnection
        ) -> Bool {
            guard let base = input.baseAddress,
                transfer.head.append(base + range.lowerBound, count: range.count)
            else {
                refuse(transfer, connection, .failed, "no memory for the response")
                return false
            }
            connection.receiving.status = 101
            connection.receiving.content.becomeStream()
            transfer.isSwitched = true
            wire.switched += 1
            release(transfer)
            return true
        }

        /// A connection on which no HTTP is spoken: it is handed over as it is.
        func handOver(_ transfer: Transfer, _ connection: WireConnection) {
            connection.receiving.reader = .behindSwitch
            connection.receiving.status = 101
            connection.receiving.content.becomeStream()
            connection.sending.isDone = true
            transfer.isSwitched = true
            wire.switched += 1
            release(transfer)
            deliver(transfer, connection)
            watch(connection)
        }

        /// The connection ends; unsent bytes stay unsent.
        func letGo(_ transfer: Transfer, _ connection: WireConnection) {
            wire.switched -= 1
            let left = connection.outbox
            connection.outbox = []
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
            guard case .wire(let connection) = transfer.place, transfer.isSwitched else {
                return write.finish(CurlLoop.lost(write))
            }
            connection.outbox.append(write)
            if connection.outbox.count == 1 { flush(transfer, connection) }
        }

        func withdraw(_ write: DuplexWrite, _ transfer: Transfer) {
            guard case .wire(let connection) = transfer.place, write.written == 0,
                let index = connection.outbox.firstIndex(where: { $0 === write })
            else { return }
            connection.outbox.remove(at: index)
            write.finish(CancellationError())
        }

        /// Sends as much as the socket takes.
        func flush(_ transfer: Transfer, _ connection: WireConnection) {
            var left = CurlLoop.turn
            while left > 0, let write = connection.outbox.first {
                let count = write.data.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { connection.send($0 + write.written, bytes.count - write.written) } ?? 0
                }
                if count == CNC_IO_AGAIN { break }
                guard count >= 0 else {
                    let failure = CurlFailure.make(
                        .connectionLost,
                        "the connection was broken off",
                        phase: .send,
                        transfer
                    )
                    return abandon(transfer, failure)
                }
                write.written += count
                left -= count
                guard write.written == write.data.count else { continue }
                connection.outbox.removeFirst()
                write.finish(nil)
            }
            watch(connection)
        }
    }

    extension DuplexStream {
        /// A connection on which a transfer has switched the protocol.
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
                    let pending = PendingWrite()
                    try await withTaskCancellationHandler {
                        try await withUnsafeThrowingContinuation { continuation in
                            let write = DuplexWrite(data, continuation)
                            pending.set(write)
                            if Task.isCancelled { return write.finish(CancellationError()) }
                            if !loop.submit(.send(transfer, write)) { write.finish(CurlFailure.shutDown) }
                        }
                        cnc_task_resumed()
                    } onCancel: {
                        if let write = pending.write { _ = loop.submit(.withdraw(transfer, write)) }
                    }
                },
                close: { _ = loop.submit(.cancel(transfer)) },
                source: PipeSource(pipe, transfer, loop)
            )
        }
    }

    /// The bytes of a switched connection, taken by whoever waits without a suspended call.
    private final class PipeSource: DuplexSource {
        private let pipe: ChunkPipe
        private let transfer: Transfer
        private let loop: CurlLoop

        init(_ pipe: ChunkPipe, _ transfer: Transfer, _ loop: CurlLoop) {
            (self.pipe, self.transfer, self.loop) = (pipe, transfer, loop)
        }

        func take() -> Result<Data?, any Error>? {
            pipe.take { _ = loop.submit(.resumeReceiving(transfer)) }
        }

        func park(_ wake: @escaping @Sendable () -> Void) -> Bool { pipe.park(wake) }
    }
#endif
