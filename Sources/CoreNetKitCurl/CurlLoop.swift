#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl
    import Glibc

    /// One owner thread with one multi handle: everything libcurl does happens here.
    ///
    /// `@unchecked Sendable`: other threads touch nothing but the mailbox, which has a lock.
    final class CurlLoop: @unchecked Sendable {
        let options: CurlOptions
        let mailbox = Locked(Mailbox())

        // The owner thread's alone, and never changed from inside of a change: there is no overlap to look for.
        @exclusivity(unchecked) private(set) var multi: UnsafeMutableRawPointer
        /// What outlives the connections: names that were looked up, and sessions of TLS.
        let share: UnsafeMutableRawPointer?
        private let idleLifetime: Int64
        /// Since when no exchange runs, while connections may be kept.
        @exclusivity(unchecked) private var idleSince: Int64?
        @exclusivity(unchecked) var limiter: ConnectionLimiter
        @exclusivity(unchecked) var slots: [CurlSlot] = []
        @exclusivity(unchecked) var freeSlots: [Int] = []
        let board: LoopBoard
        @exclusivity(unchecked) var inbox: [Command] = []
        /// The news that are being looked at.
        @exclusivity(unchecked) var announced: [Int] = []
        @exclusivity(unchecked) var ready: [UnsafeContinuation<Void, Never>] = []
        /// No limit of any transfer can strike before.
        @exclusivity(unchecked) var nextDeadline = MonotonicTime.never
        @exclusivity(unchecked) var stopping: Command?

        init?(_ configuration: CurlTransport.Configuration, options: CurlOptions) {
            guard CurlLibrary.isReady, let board = LoopBoard(), let multi = cnc_multi_init() else { return nil }
            self.board = board
            self.multi = multi
            share = cnc_share_init()
            self.options = options
            let loops = configuration.loopCount
            limiter = ConnectionLimiter(
                perHost: max(1, configuration.connectionsPerHost).saturatingAdd(loops - 1) / loops,
                total: max(1, configuration.totalConnections).saturatingAdd(loops - 1) / loops,
                waitingLimit: configuration.waitingLimit.map { max(0, $0).saturatingAdd(loops - 1) / loops }
            )
            idleLifetime = MonotonicTime.nanoseconds(configuration.idleConnectionLifetime)
            configureMulti()
        }

        private func configureMulti() {
            cnc_multi_set_number(multi, CNCMOPT_PIPELINING, CNCPIPE_MULTIPLEX)
            cnc_multi_set_number(multi, CNCMOPT_MAXCONNECTS, min(limiter.total, 1 << 20))
            cnc_multi_set_watch_callback(multi, CurlCallbacks.watched)
            cnc_multi_set_pointer(multi, CNCMOPT_SOCKETDATA, board.sockets.context)
            cnc_multi_set_timer_callback(multi, CurlCallbacks.timed)
            cnc_multi_set_pointer(multi, CNCMOPT_TIMERDATA, board.sockets.context)
        }

        deinit {
            // A thread that ran has cleaned up itself.
            guard mailbox.withLock({ !$0.isStarted }) else { return }
            cnc_multi_cleanup(multi)
            cnc_share_cleanup(share)
        }

        /// The owner thread's life.
        func run() {
            while true {
                board.now = MonotonicTime.now()
                execute()
                if stopping != nil, limiter.running == 0, limiter.waiting == 0 { break }
                if board.sockets.fireTimer(board.now, multi: multi) { collectFinished() }
                resumeReady()
                wait(board.now, atMost: closeIdleConnections(board.now))
                attend()
                collectFinished()
                if board.now >= nextDeadline { checkDeadlines(board.now) }
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
            guard limiter.running == 0, !slots.isEmpty else {
                idleSince = nil
                return MonotonicTime.never
            }
            let start = idleSince ?? now
            let end = MonotonicTime.after(start, idleLifetime)
            idleSince = start
            guard now >= end else { return end }
            guard let fresh = cnc_multi_init() else { return MonotonicTime.never }
            // The handles go too: what is not used needs no memory.
            (slots, freeSlots, idleSince) = ([], [], nil)
            let old = multi
            multi = fresh
            cnc_multi_cleanup(old)
            configureMulti()
            return MonotonicTime.never
        }

        /// Ends what libcurl has finished, and starts what waited for it.
        private func collectFinished() {
            var result = 0
            while let easy = cnc_multi_next_done(multi, &result) {
                let number = Int(bitPattern: cnc_easy_pointer(easy, CNCINFO_PRIVATE)) - 1
                guard slots.indices.contains(number), let transfer = slots[number].transfer else { continue }
                finish(transfer, slots[number], result)
            }
        }

        func start(_ transfer: Transfer) {
            transfer.stage = .running
            transfer.startedAt = max(board.now, transfer.queuedAt)
            guard let slot = takeSlot() else {
                limiter.release(transfer)
                return conclude(transfer, CurlFailure.outOfMemory)
            }
            transfer.slot = slot
            slot.prepare(transfer, now: transfer.startedAt)
            nextDeadline = min(nextDeadline, MonotonicTime.after(transfer.startedAt, transfer.limits.shortest))
            transfer.upload.start { [weak self] in _ = self?.submit(.resumeSending(transfer)) }
            let result = cnc_multi_add(multi, slot.easy)
            if result != 0 {
                end(transfer, slot)
                conclude(transfer, CurlFailure.outOfMemory)
            }
        }

        private func finish(_ transfer: Transfer, _ slot: CurlSlot, _ result: Int) {
            // A callback's refusal counts, whatever libcurl makes of it.
            if result != CNCE_OK || slot.exchange.pointee.isRefused {
                if repeats(transfer, slot, result) { return }
                let failure = CurlFailure.error(for: result, transfer, slot)
                // A reader gets the head and what came behind it, and then the failure.
                if slot.exchange.pointee.headIsComplete, case .stream(let pipe) = transfer.receiver {
                    handOver(transfer, slot, to: pipe)
                }
                end(transfer, slot)
                return conclude(transfer, failure)
            }
            guard slot.exchange.pointee.headIsComplete else {
                // libcurl takes a head that is cut off for a whole one.
                let failure = CurlFailure.cutHead(transfer, slot)
                end(transfer, slot)
                return conclude(transfer, failure)
            }
            complete(transfer, slot)
        }

        /// Hands over a response that is there to its end.
        func complete(_ transfer: Transfer, _ slot: CurlSlot) {
            if case .stream(let pipe) = transfer.receiver {
                handOver(transfer, slot, to: pipe)
                takeEnding(transfer, slot)
            } else {
                takeHead(transfer, slot)
                takeEnding(transfer, slot)
                swap(&transfer.body, &slot.exchange.pointee.body)
            }
            end(transfer, slot)
            conclude(transfer, nil)
        }

        func takeHead(_ transfer: Transfer, _ slot: CurlSlot) {
            transfer.status = slot.exchange.pointee.status
            swap(&transfer.head, &slot.exchange.pointee.head)
            transfer.isDecoded = slot.exchange.pointee.isDecoded
            transfer.isDelimited = slot.exchange.pointee.isDelimited
            if !slot.exchange.pointee.interim.isEmpty { swap(&transfer.interim, &slot.exchange.pointee.interim) }
            if transfer.reportsSentHeaders { swap(&transfer.sentHead, &slot.exchange.pointee.sentHead) }
            transfer.timings = RawTimings(transfer, slot)
        }

        /// What the end of the content adds; of a stream it is read behind its end only.
        private func takeEnding(_ transfer: Transfer, _ slot: CurlSlot) {
            swap(&transfer.trailers, &slot.exchange.pointee.trailers)
            if case .stream = transfer.receiver { transfer.endTimings = RawTimings(transfer, slot) }
        }

        /// Sends once more on a fresh connection where a kept one was dead and libcurl has given up.
        private func repeats(_ transfer: Transfer, _ slot: CurlSlot, _ result: Int) -> Bool {
            let exchange = slot.exchange
            guard !transfer.hasRetried, exchange.pointee.firstByteAt == 0, exchange.pointee.connectedAt != 0,
                !exchange.pointee.isNewConnection, CurlFailure.isDeadConnection(result), !exchange.pointee.isRefused
            else { return false }
            let isUnseen = exchange.pointee.wasRefusedUnseen && !exchange.pointee.wasPerhapsSeen
            guard isUnseen ? transfer.mayRepeatUnseen : transfer.mayRepeatSeen else { return false }
            transfer.hasRetried = true
            if !isUnseen { transfer.wasPerhapsSeen = true }
            cnc_multi_remove(multi, slot.easy)
            slot.prepare(transfer, now: MonotonicTime.now())
            guard exchange.pointee.upload.rewind() else { return false }
            return cnc_multi_add(multi, slot.easy) == 0
        }

        /// Takes a running transfer from libcurl; ends its connection when it was not finished.
        func end(_ transfer: Transfer, _ slot: CurlSlot) {
            guard slot.transfer === transfer else { return }
            cnc_multi_remove(multi, slot.easy)
            transfer.upload.stop()
            slot.exchange.pointee.upload = .none
            slot.transfer = nil
            transfer.slot = nil
            freeSlots.append(slot.number)
            limiter.release(transfer)
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
            if case .stream(let pipe) = transfer.receiver { pipe.finish(failure) }
        }

        func resumeReady() {
            guard !ready.isEmpty else { return }
            // With its counterpart in `send`, what the thread sanitizer needs to see: it does not know the order that a
            // continuation gives when it is resumed before its task is suspended.
            mailbox.withLock { _ in }
            for continuation in ready { continuation.resume() }
            ready.removeAll(keepingCapacity: true)
        }

        private func takeSlot() -> CurlSlot? {
            if let number = freeSlots.popLast() {
                if CurlLibrary.forgetsHeads || slots[number].renew() { return slots[number] }
                freeSlots.append(number)
                return nil
            }
            guard let slot = CurlSlot(number: slots.count, options: options, board: board, share: share) else {
                return nil
            }
            slots.append(slot)
            return slot
        }
    }
#endif
