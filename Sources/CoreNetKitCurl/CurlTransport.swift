#if os(Linux)
    public import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    /// Sends requests with libcurl: the default transport on Linux.
    ///
    /// ### Choose it
    /// On Linux, always, unless a test wants a mock. It needs the run-time library `libcurl.so.4` (7.88 or later).
    ///
    /// ### What it does
    /// One owner thread drives all exchanges and keeps their connections; `send` may be called from any task. Content
    /// is decompressed (gzip, brotli, zstd where libcurl has them); `Content-Encoding` and `Content-Length` stay as
    /// they were on the wire. `Host`, `Content-Length` and `Transfer-Encoding` are refused as request fields. When a
    /// kept connection turns out to be dead before a byte of the response came, a request that is idempotent, or has
    /// an `Idempotency-Key`, is sent again on another one if its body can be replayed; others fail, because the
    /// server may have acted on them.
    ///
    /// ### End it
    /// ``shutdown()`` fails what runs. A transport that is dropped lets its streams come to their end, then its
    /// thread and connections go.
    public final class CurlTransport: Transport {
        private let options: CurlOptions
        private let loops: [CurlLoop]
        private let turn = Locked(0)

        /// Creates a transport; its threads start with the first request.
        ///
        /// - Parameter configuration: What holds for every exchange. What libcurl cannot do of it, `send` refuses with
        ///   `unsupported`.
        public init(configuration: Configuration = .init()) {
            let options = CurlOptions(configuration)
            self.options = options
            loops = (0..<configuration.loopCount).compactMap { _ in CurlLoop(configuration, options: options) }
        }

        deinit {
            for loop in loops { loop.close(failsRunning: false) }
        }

        /// What the installed libcurl can do.
        public var capabilities: TransportCapabilities { CurlLibrary.capabilities }

        /// Sends a request and returns the response, its content in the form that `request.delivery` asks for.
        ///
        /// - Parameter request: The request; its URL is absolute.
        /// - Returns: The response, whatever its status.
        /// - Throws: ``TransportError``, or `CancellationError` when the task was cancelled.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            do {
                if let problem = options.problem { throw problem }
                try Task.checkCancellation()
                return try await perform(Transfer(request), on: nextLoop())
            } catch {
                // Also when nothing was begun.
                request.monitor?.update { $0.isEnded = true }
                throw error
            }
        }

        private func perform(_ transfer: Transfer, on loop: CurlLoop) async throws -> TransportResponse {
            defer { transfer.releaseUpload() }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    transfer.continuation = continuation
                    if loop.submit(.start(transfer)) { return }
                    transfer.failure = CurlFailure.shutDown
                    continuation.resume()
                }
                cnc_task_resumed()
            } onCancel: {
                _ = loop.submit(.cancel(transfer))
            }
            loop.mailbox.withLock { _ in }
            return try transfer.response(from: loop)
        }

        /// Ends the transport: running exchanges fail with `shutDown`, connections are closed, threads end.
        ///
        /// Returns when all of that is done. Requests sent later fail with `shutDown`.
        public func shutdown() async {
            for loop in loops { loop.close(failsRunning: true) }
            for loop in loops { await loop.ended() }
        }

        private func nextLoop() throws -> CurlLoop {
            guard loops.count != 1 else { return loops[0] }
            guard !loops.isEmpty else { throw CurlFailure.outOfMemory }
            return turn.withLock { turn in
                turn = (turn + 1) % loops.count
                return loops[turn]
            }
        }
    }
#endif
