#if os(Linux)
    import CNetCurl
    public import CoreNetKitEssentials
    public import CoreNetKitHTTP
    import CoreNetKitSystem

    /// Sends requests with libcurl: the default transport on Linux.
    ///
    /// ### Choose it
    /// On Linux, always, unless a test wants a mock. It needs the run-time library `libcurl.so.4` (7.88 or later).
    ///
    /// ### What it does
    /// One owner thread drives all exchanges and keeps their connections; `send` may be called from any task. The
    /// reader of content decompresses it (gzip, brotli, zstd if their libraries are there); incomplete content is
    /// `decompressionFailed`; `Content-Encoding` and `Content-Length` stay as on the wire. `Host`, `Content-Length` and
    /// `Transfer-Encoding` are refused as request fields. If a kept connection turns out to be dead before a byte of
    /// the response came, or the server refuses an HTTP/2 stream, the request is sent again on another connection if
    /// `Resending` allows it; other failures are final, because the server may have acted on the request.
    ///
    /// ### End it
    /// ``shutdown()`` fails running exchanges. A transport that is released lets its streams finish; then its thread
    /// and connections end.
    public final class CurlTransport: Transport {
        private let options: CurlOptions
        let loops: [CurlLoop]
        private let turn = Locked(0)
        /// For the content of files, so that a slow disk delays neither exchanges nor tasks.
        let files = FileWorker("curl")

        /// Creates a transport; its threads start with the first request.
        ///
        /// What of the configuration libcurl cannot do, `send` refuses with `unsupported`.
        public init(configuration: Configuration = .init()) {
            let options = CurlOptions(configuration)
            self.options = options
            loops = (0..<configuration.loopCount).compactMap { _ in CurlLoop(configuration, options: options) }
        }

        deinit { for loop in loops { loop.close(failsRunning: false) } }

        /// What the installed libcurl can do.
        public var capabilities: TransportCapabilities {
            let all = CurlLibrary.capabilities
            return options.routes.takesDuplex ? all : all.subtracting(.duplex)
        }

        /// The digest of the client certificate for the URL's host; empty without one, or without TLS.
        public func clientIdentity(for url: URL) -> String? { options.clientIdentity(for: url) }

        /// Sends a request and returns the response, its content in the form that `request.delivery` asks for.
        ///
        /// - Parameter request: The request; its URL is absolute.
        /// - Returns: The response, whatever its status.
        /// - Throws: `TransportError`, or `CancellationError` when the task was cancelled.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            do {
                if let problem = options.problem(at: request.url) { throw problem }
                // `Transfer` reports errors of its own for such a connection.
                if request.delivery == .duplex { try request.validate(for: CurlLibrary.capabilities) }
                try Task.checkCancellation()
                guard !request.usesFiles else { return try await sendWithFiles(request) }
                return try await perform(Transfer(request, file: nil, files: files, options: options))
            } catch {
                // Also if nothing was started.
                request.monitor?.update { $0.isEnded = true }
                throw error
            }
        }

        /// Opens the files of a request that sends files, and writes its response to a file if it asks for that.
        private func sendWithFiles(_ request: TransportRequest) async throws -> TransportResponse {
            var file: UploadFile?
            if case .file(let url) = request.body.content {
                file = try await files.run { () throws(TransportError) in try UploadFile(url) }
            }
            guard case .file(let place) = request.delivery else {
                return try await perform(Transfer(request, file: file, files: files, options: options))
            }
            let download = try await files.run { () throws(TransportError) in try DownloadFile(place) }
            do {
                let transfer = try Transfer(request, file: file, files: files, options: options)
                return try await save(perform(transfer), to: download)
            } catch {
                try await files.run { () throws(TransportError) in download.discard() }
                throw error
            }
        }

        /// Writes the content of a 2xx response; any other is collected, so that the error content can be read.
        private func save(_ head: TransportResponse, to download: DownloadFile) async throws -> TransportResponse {
            guard case .stream(let content) = head.body else { return head }
            var response = head
            var reason = Data()
            do {
                if (200...299).contains(head.status) {
                    for try await chunk in content {
                        try await files.run { () throws(TransportError) in try download.append(chunk) }
                    }
                    try await files.run { () throws(TransportError) in try download.commit() }
                    response.body = .file(download.url)
                } else {
                    try await files.run { () throws(TransportError) in download.discard() }
                    try await read(content, into: &reason)
                    response.body = .bytes(reason)
                }
            } catch let failure as TransportError {
                content.close()
                response.body = .bytes(reason)
                return try response.failing(failure)
            }
            if let ending = content.ending { (response.trailers, response.timings) = (ending.trailers, ending.timings) }
            return response
        }

        /// Collects the content of an error, up to 64 MiB and, looked at with each chunk, up to the timeout.
        private func read(_ content: ResponseStream, into collected: inout Data) async throws {
            let (end, limit) = (ContinuousClock.now + options.errorTimeout, ContentSink.errorLimit)
            for try await chunk in content {
                guard collected.count + chunk.count <= limit else { throw TransportError.tooLarge(limit: limit) }
                collected += chunk
                if ContinuousClock.now < end { continue }
                let message = "the content of the error takes longer than \(options.errorTimeout)"
                throw TransportError(.timedOut, phase: .receive, message: message)
            }
        }

        // Inlined: each async function of its own asks twice where it is to run, which costs most on a loop's thread.
        @inline(__always)
        private func perform(_ transfer: Transfer) async throws -> TransportResponse {
            guard let loop = turnOfLoops() else { throw CurlFailure.outOfMemory }
            defer { transfer.releaseUpload() }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    transfer.continuation = continuation
                    if loop.submit(.start(transfer)) { return }
                    transfer.outcome.failure = CurlFailure.shutDown
                    continuation.resume()
                }
                cnc_task_resumed()
            } onCancel: {
                _ = loop.submit(.cancel(transfer))
            }
            loop.mailbox.synchronize()
            return try transfer.response(from: loop)
        }

        /// Ends the transport: running exchanges fail with `shutDown`, connections are closed, threads end.
        ///
        /// Returns when all of that is done. Later requests fail with `shutDown`.
        public func shutdown() async {
            for loop in loops { loop.close(failsRunning: true) }
            for loop in loops { await loop.ended() }
        }

        /// The loop of the current thread, otherwise the next one; `nil` if there was no memory for any.
        func turnOfLoops() -> CurlLoop? {
            if loops.count < 2 { return loops.first }
            if let here = cnc_thread_loop(), let loop = loops.first(where: { $0.identity == here }) { return loop }
            return turn.withLock { turn in
                turn = (turn + 1) % loops.count
                return loops[turn]
            }
        }
    }

    extension CurlTransport {
        /// Makes a connection without HTTP: TCP, TLS without ALPN, or the configuration's Unix domain socket.
        ///
        /// Only scheme, host and port of the URL count: `https` means TLS.
        package func connect(to url: URL, within limit: Duration) async throws -> DuplexStream {
            if let problem = options.problem(at: url) { throw problem }
            var request = TransportRequest(url: url)
            request.delivery = .duplex
            request.timeouts = Timeouts(connect: limit, firstByte: nil, idle: nil, total: nil)
            try request.validate(for: CurlLibrary.capabilities)
            try Task.checkCancellation()
            let transfer = try Transfer(request, file: nil, files: files, options: options, isRaw: true)
            guard case .duplex(let stream) = try await perform(transfer).body else {
                throw CurlFailure.shutDown
            }
            return stream
        }
    }

    extension TransportRequest {
        fileprivate var usesFiles: Bool {
            if case .file = body.content { return true }
            if case .file = delivery { return true }
            return false
        }
    }

    extension CurlTransport {
        /// Runs tasks on the transport's own threads: less latency and less processor time for each call.
        ///
        /// The recommended way for a server: most calls and their continuations stay on one thread. There are as many threads as
        /// processors, two at least and four at most, and whichever has nothing to run drives the wire. So a task that computes
        /// delays the wire by a few milliseconds at most; one that *blocks* takes a thread away from the others.
        ///
        /// ```swift
        /// try await withTaskExecutorPreference(transport.taskExecutor()) {
        ///     try await users.load()
        /// }
        /// ```
        ///
        /// When the transport has ended, its tasks continue in the ordinary pool.
        /// - Returns: The executor of a loop; with several ``Configuration/loops`` each call returns the next. Requests from its
        ///   tasks use the connections of that loop.
        public func taskExecutor() -> any TaskExecutor { turnOfLoops() ?? globalConcurrentExecutor }
    }

    extension CurlLoop: TaskExecutor {
        var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            if !submit(job) { CurlLoop.runElsewhere(job) }
        }

        static func runElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }
#endif
