#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    /// One multi handle and all connections, driven by the thread that holds ``turnLock``, the "owner thread".
    ///
    /// While it sleeps, callers start exchanges themselves (``startOnCaller(_:)``). `@unchecked Sendable`:
    /// ``stateLock`` guards all but the mailbox, which has a lock of its own.
    final class CurlLoop: @unchecked Sendable {
        let options: CurlOptions
        let mailbox = Locked(Mailbox())
        let turnLock = Locked(false)
        /// Held during a turn, except while it sleeps, and by callers that start an exchange meanwhile.
        let stateLock = Locked(false)
        /// When the sleep of this turn ends by itself; 0 outside of it.
        @exclusivity(unchecked) var sleepsUntil: Int64 = 0

        // Only the holder of the lock uses these, and no change runs inside another: there is no overlap to check for.
        /// The one for exchanges over HTTP/3, and for connections that libcurl leaves to us.
        var multi: UnsafeMutableRawPointer { shared.sockets.multis[0].pointer }
        let idleLifetime: Int64
        /// When the last exchange ended, while connections may still be kept.
        @exclusivity(unchecked) private var idleSince: Int64?
        @exclusivity(unchecked) var limiter: ConnectionLimiter
        let wire: WirePool
        @exclusivity(unchecked) var handles: [Int: EasyHandle] = [:]
        @exclusivity(unchecked) private var lastHandle = 0
        @exclusivity(unchecked) private var keepsHTTP3 = false
        let shared: LoopState
        @exclusivity(unchecked) var inbox: [Command] = []
        @exclusivity(unchecked) var announced: [Int] = []
        @exclusivity(unchecked) var ready: [UnsafeContinuation<Void, Never>] = []
        /// No transfer's limit can expire before this time.
        @exclusivity(unchecked) var nextDeadline = MonotonicTime.never
        var isStopping = false
        @exclusivity(unchecked) var hasEnded = false
        /// What names addresses, and the multi handle for that.
        @exclusivity(unchecked) var lookingUp: [Connector] = []
        var lookUps: UnsafeMutableRawPointer?
        /// Whether a call was cancelled since waiting ones were last started.
        @exclusivity(unchecked) var hasCancelled = false

        init?(_ configuration: CurlTransport.Configuration, options: CurlOptions) {
            guard CurlLibrary.isReady, let shared = LoopState(configuration, options) else { return nil }
            let loops = configuration.loopCount
            let total = max(1, configuration.totalConnections).saturatingAdd(loops - 1) / loops
            guard let main = MultiHandle(number: 0, sockets: shared.sockets, connections: total) else { return nil }
            shared.sockets.multis = [main]
            (self.shared, self.options) = (shared, options)
            limiter = ConnectionLimiter(
                perHost: max(1, configuration.connectionsPerHost).saturatingAdd(loops - 1) / loops,
                total: total,
                waitingLimit: configuration.waitingLimit.map { max(0, $0).saturatingAdd(loops - 1) / loops }
            )
            idleLifetime = MonotonicTime.nanoseconds(configuration.idleConnectionLifetime)
            wire = WirePool(configuration, total: limiter.total, shared: shared)
        }

        deinit {
            // A thread that ran has already cleaned up.
            if mailbox.withLock({ !$0.isStarted }) { shared.sockets.multis[0].end() }
        }

        /// One turn: the commands of other threads, received bytes, and timers that are due; `false` if it was the last.
        func turn() -> Bool { stateLock.withLock { _ in advance() } }

        private func advance() -> Bool {
            guard !hasEnded else { return false }
            shared.now = MonotonicTime.now()
            execute()
            awaitCancellations()
            startWaiting()
            if isStopping, limiter.running == 0, limiter.waiting == 0, wire.switched == 0 { return false }
            if shared.sockets.fireTimers(shared.now) {
                collectFinished()
                startWaiting()
            }
            flushPending()
            resumeReady()
            let idleEnd = min(closeIdleConnections(shared.now), closeIdleWire(shared.now))
            wait(shared.now, atMost: min(idleEnd, shared.nextAttemptAt))
            attend()
            collectFinished()
            if shared.now >= nextDeadline { checkDeadlines(shared.now) }
            if shared.now >= shared.nextAttemptAt { tryAddresses(shared.now) }
            startWaiting()
            resumeReady()
            return true
        }

        /// Closes kept connections after nothing has run for their lifetime; returns when to check again.
        ///
        /// libcurl checks ages only when it needs a connection, so the last ones would stay open for ever.
        private func closeIdleConnections(_ now: Int64) -> Int64 {
            // A handle that stays with one of our connections stays in the multi handle.
            guard limiter.running == 0, keepsHTTP3, wire.isEmpty else {
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
            (keepsHTTP3, idleSince) = (false, nil)
            wire.forgetConnectors()
            // libcurl calls its callbacks until this has returned.
            for multi in shared.sockets.multis { multi.end() }
            shared.sockets.multis = [fresh]
            return MonotonicTime.never
        }

        private func collectFinished() {
            var result = 0
            for multi in shared.sockets.multis {
                while let easy = cnc_multi_next_done(multi.pointer, &result) {
                    let number = Int(bitPattern: cnc_easy_pointer(easy, CNCINFO_PRIVATE)) - 1
                    if number >= Connector.firstNumber {
                        connected(number - Connector.firstNumber, result)
                    } else if let handle = handles[number] {
                        finish(handle.transfer, handle, result)
                    }
                }
            }
        }

        func start(_ transfer: Transfer) {
            transfer.stage = .running
            transfer.startedAt = max(shared.now, transfer.queuedAt)
            check(at: MonotonicTime.after(transfer.startedAt, transfer.parameters.limits.shortest))
            if transfer.wire.verb == .upload {
                transfer.upload.start { [weak self] in _ = self?.submit(.resumeSending(transfer)) }
            }
            // Earlier exchanges may have found out meanwhile.
            if transfer.asksHTTP3 {
                transfer.asksHTTP3 =
                    transfer.parameters.http3?.asks(transfer.parameters.destination.key, now: shared.now) == true
            }
            if transfer.asksHTTP3 { startOnMulti(transfer) } else { startOnWire(transfer) }
        }

        private func startOnMulti(_ transfer: Transfer) {
            let now = max(shared.now, transfer.startedAt)
            lastHandle = (lastHandle + 1) % Connector.firstNumber
            guard let handle = EasyHandle(number: lastHandle, transfer, loop: shared, now: now) else {
                limiter.release(transfer)
                return conclude(transfer, CurlFailure.outOfMemory)
            }
            (handles[lastHandle], keepsHTTP3, transfer.carrier) = (handle, true, .multi(handle))
            if cnc_multi_add(multi, handle.easy) != 0 {
                end(transfer, handle)
                conclude(transfer, CurlFailure.outOfMemory)
            }
        }

        private func finish(_ transfer: Transfer, _ handle: EasyHandle, _ result: Int) {
            let failure: TransportError
            // A callback's refusal takes precedence over libcurl's result.
            if result != CNCE_OK || handle.isRefused {
                if isWholeEarly(handle, result) { return complete(transfer, handle) }
                if startsOverTCP(transfer, handle, result) { return }
                if resendIfPossible(transfer, handle, result) { return }
                failure = CurlFailure.error(for: result, transfer, handle)
            } else if handle.receiving.head == nil {
                // libcurl takes a truncated head for a complete one.
                let text = "the connection ended inside the response's head"
                failure = CurlFailure.make(.connectionLost, text, phase: .receive, transfer)
            } else {
                return complete(transfer, handle)
            }
            // A reader gets the head and the content so far, and then the failure.
            if let pipe = pipe(of: transfer, handle) { handOver(transfer, handle, to: pipe) }
            takeArrived(transfer, handle)
            end(transfer, handle)
            conclude(transfer, failure)
        }

        /// Uses TCP if no connection for HTTP/3 could be made; a server that is not who it should be is refused.
        private func startsOverTCP(_ transfer: Transfer, _ handle: EasyHandle, _ result: Int) -> Bool {
            guard handle.connectedAt == 0, !handle.isRefused, !CurlFailure.isAboutTLS(result) else { return false }
            transfer.asksHTTP3 = false
            transfer.parameters.http3?.note(false, of: transfer.parameters.destination.key, now: shared.now)
            swap(&transfer.outcome.body, &handle.receiving.content.bytes)
            recycle(handle)
            transfer.carrier = .none
            startOnWire(transfer)
            return true
        }

        func complete(_ transfer: Transfer, _ handle: EasyHandle) {
            takeAll(transfer, handle)
            end(transfer, handle)
            conclude(transfer, nil)
        }

        private func resendIfPossible(_ transfer: Transfer, _ handle: EasyHandle, _ result: Int) -> Bool {
            guard transfer.resends.count == 0, handle.receiving.firstByteAt == 0, handle.connectedAt != 0,
                !handle.link.isNewConnection, CurlFailure.isDeadConnection(result), !handle.isRefused
            else { return false }
            let evidence = handle.progress.evidence
            guard transfer.parameters.mayRepeat(evidence), transfer.upload.rewind() else { return false }
            transfer.resends.count += 1
            if evidence == .possiblyProcessed { transfer.resends.mayHaveBeenProcessed = true }
            recycle(handle)
            startOnMulti(transfer)
            return true
        }

        func end(_ transfer: Transfer, _ handle: EasyHandle) {
            guard !handle.isOver else { return }
            // Its news may not have been handled yet.
            noteHTTP3(of: transfer, handle)
            transfer.upload.stop()
            recycle(handle)
            transfer.carrier = .none
            limiter.release(transfer)
        }

        private func recycle(_ handle: EasyHandle) {
            cnc_multi_remove(multi, handle.easy)
            shared.endAttempt(handle.number)
            handle.upload = .none
            handle.isOver = true
            handles[handle.number] = nil
        }

        /// Not as soon as a place becomes free, so that calls which are cancelled together are not started first.
        func startWaiting() { while let next = limiter.next() { start(next) } }

        func conclude(_ transfer: Transfer, _ failure: (any Error)?) {
            guard transfer.stage != .done else { return }
            transfer.stage = .done
            transfer.handOverUpload()
            transfer.parameters.monitor?.update { $0.isEnded = true }
            if let continuation = transfer.continuation {
                transfer.outcome.failure = failure
                transfer.continuation = nil
                ready.append(continuation)
            }
            // After the head, the stream carries the outcome.
            switch transfer.parameters.receiver {
            case .stream(let pipe), .duplex(let pipe): pipe.finish(failure)
            case .collect, .discard: break
            }
        }

        func resumeReady() {
            guard !ready.isEmpty else { return }
            mailbox.synchronize()
            for continuation in ready { continuation.resume() }
            ready.removeAll(keepingCapacity: true)
        }
    }
#endif
