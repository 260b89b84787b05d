#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// One owner thread with one multi handle: everything libcurl does happens here.
    ///
    /// `@unchecked Sendable`: other threads touch nothing but the mailbox, which has a lock.
    final class CurlLoop: @unchecked Sendable {
        let options: CurlOptions
        let mailbox = Locked(Mailbox())

        // The owner thread's alone, and never changed from inside a change: there is no overlap to look for.
        @exclusivity(unchecked) private var main: MultiHandle
        var multi: UnsafeMutableRawPointer { main.pointer }
        /// What outlives the connections: names that were looked up, and sessions of TLS.
        let share: UnsafeMutableRawPointer?
        let origin: HandleOrigin
        let idleLifetime: Int64
        /// Since when no exchange runs, while connections may be kept.
        @exclusivity(unchecked) private var idleSince: Int64?
        @exclusivity(unchecked) var limiter: ConnectionLimiter
        let wire: WirePool
        /// What servers over TLS speak; any thread's.
        let spoken = SpokenVersions()
        @exclusivity(unchecked) var handles: [EasyHandle] = []
        @exclusivity(unchecked) var freeHandles: [Int] = []
        let shared: LoopState
        @exclusivity(unchecked) var inbox: [Command] = []
        /// The news that are being looked at.
        @exclusivity(unchecked) var announced: [Int] = []
        @exclusivity(unchecked) var ready: [UnsafeContinuation<Void, Never>] = []
        /// No limit of any transfer can strike before.
        @exclusivity(unchecked) var nextDeadline = MonotonicTime.never
        @exclusivity(unchecked) var stopping: Command?
        /// Handles whose bodies are on their way over connections that others may share.
        @exclusivity(unchecked) var uploading: [Int] = []
        /// When they were last looked at, and when that was last left out, or done.
        @exclusivity(unchecked) var (uploadsSeenAt, uploadsSkippedAt): (Int64, Int64) = (0, 0)
        /// Whether a call was cancelled since waiting ones were last started.
        @exclusivity(unchecked) var hasCancelled = false

        init?(_ configuration: CurlTransport.Configuration, options: CurlOptions) {
            guard CurlLibrary.isReady, let shared = LoopState(configuration) else { return nil }
            let loops = configuration.loopCount
            let total = max(1, configuration.totalConnections).saturatingAdd(loops - 1) / loops
            guard let main = MultiHandle(number: 0, sockets: shared.sockets, connections: total) else { return nil }
            shared.sockets.multis = [main]
            let share = cnc_share_init()
            guard let origin = HandleOrigin(options: options, share: share, loop: shared) else {
                main.end()
                cnc_share_cleanup(share)
                return nil
            }
            (self.shared, self.main, self.share, self.origin) = (shared, main, share, origin)
            self.options = options
            limiter = ConnectionLimiter(
                perHost: max(1, configuration.connectionsPerHost).saturatingAdd(loops - 1) / loops,
                total: total,
                waitingLimit: configuration.waitingLimit.map { max(0, $0).saturatingAdd(loops - 1) / loops }
            )
            idleLifetime = MonotonicTime.nanoseconds(configuration.idleConnectionLifetime)
            wire = WirePool(configuration, total: limiter.total, shared: shared)
        }

        deinit {
            // A thread that ran has cleaned up itself.
            guard mailbox.withLock({ !$0.isStarted }) else { return }
            main.end()
            cnc_share_cleanup(share)
        }

        /// The owner thread's life.
        func run() {
            while true {
                shared.now = MonotonicTime.now()
                execute()
                awaitCancellations()
                startWaiting()
                if stopping != nil, limiter.running == 0, limiter.waiting == 0, wire.switched == 0 { break }
                if shared.sockets.fireTimers(shared.now) {
                    collectFinished()
                    startWaiting()
                }
                resumeReady()
                noteUploads()
                wait(shared.now, atMost: min(closeIdleConnections(shared.now), closeIdleWire(shared.now)))
                noteUploads()
                attend()
                collectFinished()
                if shared.now >= nextDeadline { checkDeadlines(shared.now) }
                startWaiting()
                let hasResumed = !ready.isEmpty
                resumeReady()
                if hasResumed, limiter.running == 0 { awaitNextCommand() }
            }
            end()
        }

        /// Closes kept connections when nothing has run for their lifetime; busy loops leave that to libcurl.
        ///
        /// libcurl looks at the age of a connection only when it wants one, so the last ones would stay open for ever.
        /// - Returns: When to look again.
        private func closeIdleConnections(_ now: Int64) -> Int64 {
            // A handle that stays with a connection of ours stays in the multi handle.
            guard limiter.running == 0, !handles.isEmpty, wire.isEmpty else {
                idleSince = nil
                return MonotonicTime.never
            }
            let start = idleSince ?? now
            let end = MonotonicTime.after(start, idleLifetime)
            idleSince = start
            guard now >= end else { return end }
            guard let fresh = MultiHandle(number: 0, sockets: shared.sockets, connections: limiter.total) else {
                return MonotonicTime.never
            }
            // The handles go too: what is not used needs no memory.
            (handles, freeHandles, uploading, idleSince) = ([], [], [], nil)
            wire.forgetConnectors()
            // Its callbacks are asked to the end.
            for multi in shared.sockets.multis { multi.end() }
            main = fresh
            shared.sockets.multis = [main]
            return MonotonicTime.never
        }

        /// Ends what libcurl has finished, and starts what waited for it.
        private func collectFinished() {
            for multi in shared.sockets.multis { collectFinished(multi.pointer) }
        }

        private func collectFinished(_ multi: UnsafeMutableRawPointer) {
            var result = 0
            while let easy = cnc_multi_next_done(multi, &result) {
                let number = Int(bitPattern: cnc_easy_pointer(easy, CNCINFO_PRIVATE)) - 1
                if number >= Connector.firstNumber {
                    connected(number - Connector.firstNumber, result)
                    continue
                }
                guard handles.indices.contains(number), let transfer = handles[number].transfer else { continue }
                finish(transfer, handles[number], result)
            }
        }

        func start(_ transfer: Transfer) {
            transfer.stage = .running
            transfer.startedAt = max(shared.now, transfer.queuedAt)
            nextDeadline = min(nextDeadline, MonotonicTime.after(transfer.startedAt, transfer.limits.shortest))
            if case .none = transfer.upload {
            } else {
                transfer.upload.start { [weak self] in _ = self?.submit(.resumeSending(transfer)) }
            }
            if case .wire = transfer.wire.lane { return startOnWire(transfer) }
            if spoken.isKnown(.http1, of: transfer), transfer.takeWire() { return startOnWire(transfer) }
            startOnMulti(transfer)
        }

        private func startOnMulti(_ transfer: Transfer) {
            guard let handle = takeHandle() else {
                limiter.release(transfer)
                return conclude(transfer, CurlFailure.outOfMemory)
            }
            transfer.place = .multi(handle)
            handle.prepare(transfer, now: transfer.startedAt)
            let result = cnc_multi_add(multi, handle.easy)
            if handle.beginsUpload() { uploading.append(handle.number) }
            if result != 0 {
                end(transfer, handle)
                conclude(transfer, CurlFailure.outOfMemory)
            }
        }

        private func finish(_ transfer: Transfer, _ handle: EasyHandle, _ result: Int) {
            // A callback's refusal counts, whatever libcurl makes of it.
            if result != CNCE_OK || handle.state.pointee.isRefused {
                if isWholeEarly(handle, result) { return complete(transfer, handle) }
                if repeats(transfer, handle, result) { return }
                let failure = CurlFailure.error(for: result, transfer, handle)
                // A reader gets the head and what came behind it, and then the failure.
                if handle.state.pointee.response.headIsComplete, case .stream(let pipe) = transfer.receiver {
                    handOver(transfer, handle, to: pipe)
                }
                end(transfer, handle)
                return conclude(transfer, failure)
            }
            guard handle.state.pointee.response.headIsComplete else {
                // libcurl takes a head that is cut off for a whole one.
                let failure = CurlFailure.cutHead(transfer)
                end(transfer, handle)
                return conclude(transfer, failure)
            }
            complete(transfer, handle)
        }

        /// Hands over a response that is there to its end.
        func complete(_ transfer: Transfer, _ handle: EasyHandle) {
            if case .stream(let pipe) = transfer.receiver {
                handOver(transfer, handle, to: pipe)
                takeEnding(transfer, handle)
            } else {
                takeHead(transfer, handle)
                takeEnding(transfer, handle)
                swap(&transfer.body, &handle.state.pointee.response.content.bytes)
            }
            end(transfer, handle)
            conclude(transfer, nil)
        }

        func takeHead(_ transfer: Transfer, _ handle: EasyHandle) {
            transfer.status = handle.state.pointee.response.status
            swap(&transfer.head, &handle.state.pointee.response.head)
            transfer.isDecoded = handle.state.pointee.isDecoded
            transfer.codings = handle.state.pointee.response.codings
            transfer.isDelimited = handle.state.pointee.isDelimited
            if !handle.state.pointee.response.interim.isEmpty {
                swap(&transfer.interim, &handle.state.pointee.response.interim)
            }
            if transfer.reportsSentHeaders { swap(&transfer.sentHead, &handle.state.pointee.sending.sentHead) }
            transfer.timings = RawTimings(transfer, handle)
        }

        /// What the end of the content adds; of a stream it is read behind its end only.
        private func takeEnding(_ transfer: Transfer, _ handle: EasyHandle) {
            swap(&transfer.trailers, &handle.state.pointee.response.trailers)
            if case .stream = transfer.receiver { transfer.endTimings = RawTimings(transfer, handle) }
        }

        /// Sends once more on a fresh connection where a kept one was dead and libcurl has given up.
        private func repeats(_ transfer: Transfer, _ handle: EasyHandle, _ result: Int) -> Bool {
            let state = handle.state
            guard !transfer.hasRetried, state.pointee.response.firstByteAt == 0, state.pointee.link.connectedAt != 0,
                !state.pointee.link.isNewConnection, CurlFailure.isDeadConnection(result), !state.pointee.isRefused
            else { return false }
            let evidence = state.pointee.progress.evidence
            guard evidence == .unseen ? transfer.mayRepeatUnseen : transfer.mayRepeatSeen else { return false }
            transfer.hasRetried = true
            if evidence == .perhapsSeen { transfer.wasPerhapsSeen = true }
            cnc_multi_remove(multi, handle.easy)
            handle.prepare(transfer, now: MonotonicTime.now())
            guard state.pointee.sending.upload.rewind() else { return false }
            return cnc_multi_add(multi, handle.easy) == 0
        }

        /// Takes a running transfer from libcurl; ends its connection when it was not finished.
        func end(_ transfer: Transfer, _ handle: EasyHandle) {
            guard handle.transfer === transfer else { return }
            cnc_multi_remove(multi, handle.easy)
            // Its news may not have had their turn.
            if let version = handle.state.pointee.link.spoken { learn(version, of: transfer) }
            transfer.upload.stop()
            handle.state.pointee.sending.upload = .none
            handle.transfer = nil
            transfer.place = .none
            freeHandles.append(handle.number)
            release(transfer)
        }

        /// Gives a transfer's place back; the first exchange with a server that nobody knew keeps no other waiting any more.
        func release(_ transfer: Transfer) {
            if let host = transfer.host, host.isProbed { limiter.widen(host) }
            limiter.release(transfer)
        }

        /// Starts what has a place now.
        ///
        /// Not at once when a place becomes free: calls that are cancelled together are not to be started first.
        func startWaiting() {
            while let next = limiter.next() { start(next) }
        }

        /// Decides the outcome; the task is resumed with the next batch.
        func conclude(_ transfer: Transfer, _ failure: (any Error)?) {
            guard transfer.stage != .done else { return }
            transfer.stage = .done
            transfer.handOverUpload()
            transfer.monitor?.update { $0.isEnded = true }
            if let continuation = transfer.continuation {
                transfer.failure = failure
                transfer.continuation = nil
                ready.append(continuation)
            }
            // After the head, the outcome is the stream's.
            switch transfer.receiver {
            case .stream(let pipe), .duplex(let pipe): pipe.finish(failure)
            case .collect, .discard: break
            }
        }

        func resumeReady() {
            guard !ready.isEmpty else { return }
            // With its counterpart in `send`, what the thread sanitizer needs to see: it does not know the order that a
            // continuation gives when it is resumed before its task is suspended.
            mailbox.withLock { _ in }
            for continuation in ready { continuation.resume() }
            ready.removeAll(keepingCapacity: true)
        }

        private func takeHandle() -> EasyHandle? {
            if let number = freeHandles.popLast() {
                if CurlLibrary.forgetsHeads || handles[number].renew() { return handles[number] }
                freeHandles.append(number)
                return nil
            }
            guard let handle = EasyHandle(number: handles.count, origin: origin, loop: shared) else {
                return nil
            }
            handles.append(handle)
            return handle
        }
    }
#endif
