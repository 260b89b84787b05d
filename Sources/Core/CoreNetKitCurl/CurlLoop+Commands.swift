#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension CurlLoop {
        enum Command {
            case start(Transfer)
            case cancel(Transfer)
            case resumeReceiving(Transfer)
            case resumeSending(Transfer)
            case send(Transfer, DuplexWrite)
            /// Withdraws bytes from sending, if none has left.
            case withdraw(Transfer, DuplexWrite)
            case statistics(UnsafeContinuation<CurlTransport.Statistics, Never>)
            /// Ends the thread: at once, or after the last exchange.
            case stop(failsRunning: Bool)
        }

        struct Mailbox {
            var commands: [Command] = []
            /// Tasks that prefer to run on the loop's threads.
            var jobs = Fifo<UnownedJob>()
            var busy = 0
            /// Threads that wait for more than a moment.
            var resting: [WakeUp] = []
            /// Whether the holder of the turn waits for sockets.
            var isAsleep = false
            var isStarted = false
            var hasWorkers = false
            var isClosed = false
            /// The thread has ended, and the multi handle is gone.
            var isEnded = false
            var waitingForEnd: [UnsafeContinuation<Void, Never>] = []
        }

        /// Hands over a command, waking the thread only if it sleeps; `false` if the loop has ended or no thread.
        func submit(_ command: Command) -> Bool {
            if case .start(let transfer) = command, startOnCaller(transfer) { return true }
            return mailbox.withLock { box in
                if case .start = command, box.isClosed { return false }
                guard isRunning(&box) else { return false }
                box.commands.append(command)
                wake(&box)
                return true
            }
        }

        /// Whether the loop has its thread, which the first command starts.
        func isRunning(_ box: inout Mailbox) -> Bool {
            if box.isEnded { return false }
            if !box.isStarted { box.isStarted = startThread(isOwner: true) }
            return box.isStarted
        }

        /// - Returns: Whether the holder of the turn was asleep.
        @discardableResult
        func wake(_ box: inout Mailbox) -> Bool {
            guard box.isAsleep else { return false }
            box.isAsleep = false
            shared.sockets.wake()
            return true
        }

        /// Starts an exchange on the calling thread if the loop sleeps and a connection with room for it is open: two
        /// switches of threads would cost more than the exchange; returns whether it has started.
        private func startOnCaller(_ transfer: Transfer) -> Bool {
            guard !transfer.asksHTTP3, !transfer.parameters.isRaw, !transfer.parameters.isWebSocket else {
                return false
            }
            let hasStarted = stateLock.withLockIfFree { _ in
                guard sleepsUntil > 0, transfer.stage == .new, !transfer.isCancelled,
                    limiter.hasOpenConnection(for: transfer), mailbox.withLock({ $0.isAsleep && !$0.isClosed })
                else { return false }
                shared.now = MonotonicTime.now()
                _ = limiter.admit(transfer)
                start(transfer)
                flushPending()
                resumeReady()
                let nextWakeUp = min(nextDeadline, shared.sockets.timer, shared.nextAttemptAt)
                if !shared.sockets.ready.isEmpty || !shared.news.isEmpty || sleepsUntil > nextWakeUp {
                    mailbox.withLock { _ = wake(&$0) }
                }
                return true
            }
            return hasStarted == true
        }

        func close(failsRunning: Bool) {
            let hasThread = mailbox.withLock { box in
                box.isClosed = true
                if !box.isStarted { box.isEnded = true }
                return box.isStarted
            }
            if hasThread { _ = submit(.stop(failsRunning: failsRunning)) }
        }

        func ended() async {
            await withUnsafeContinuation { continuation in
                let isOver = mailbox.withLock { box in
                    if !box.isEnded { box.waitingForEnd.append(continuation) }
                    return box.isEnded
                }
                if isOver { continuation.resume() }
            }
            cnc_task_resumed()
        }

        func execute() {
            mailbox.withLock { box in
                box.isAsleep = false
                swap(&box.commands, &inbox)
            }
            for command in inbox { execute(command) }
            inbox.removeAll(keepingCapacity: true)
        }

        private func execute(_ command: Command) {
            switch command {
            case .start(let transfer):
                guard transfer.stage == .new else { return }
                if transfer.isCancelled { return conclude(transfer, CancellationError()) }
                if !limiter.hasRoom(for: transfer) { startWaiting() }
                guard limiter.hasRoom(for: transfer) else { return conclude(transfer, CurlFailure.queueFull) }
                if limiter.admit(transfer) { return start(transfer) }
                transfer.stage = .waiting
                check(at: MonotonicTime.after(transfer.queuedAt, transfer.parameters.limits.total))
            case .cancel(let transfer):
                transfer.isCancelled = true
                hasCancelled = true
                abandon(transfer, CancellationError())
            case .send(let transfer, let write): send(write, transfer)
            case .withdraw(let transfer, let write): withdraw(write, transfer)
            case .statistics(let continuation): continuation.resume(returning: statistics)
            case .resumeReceiving(let transfer): resumeReceiving(transfer)
            case .resumeSending(let transfer): resumeSending(transfer)
            case .stop(let failsRunning):
                isStopping = true
                if failsRunning { failAll() }
            }
        }

        func abandon(_ transfer: Transfer, _ failure: any Error) {
            switch transfer.stage {
            case .new, .done: return
            case .waiting: limiter.withdraw(transfer)
            case .running:
                switch transfer.carrier {
                case .none: return
                case .multi(let handle):
                    takeArrived(transfer, handle)
                    handle.closeConnection()
                    end(transfer, handle)
                case .awaiting:
                    transfer.host?.awaitingConnection.removeAll { $0 === transfer }
                    transfer.upload.stop()
                    transfer.carrier = .none
                    limiter.release(transfer)
                case .connecting(let connector): giveUp(transfer, connector)
                case .wire(let exchange):
                    takeArrived(transfer, exchange)
                    leave(transfer, exchange, keeps: false)
                }
            }
            conclude(transfer, failure)
        }

        private func failAll() {
            let waiting =
                limiter.waitingHosts.flatMap { $0.waiting } + limiter.awaitingHosts.flatMap(\.awaitingConnection)
            for transfer in waiting + handles.values.map(\.transfer) + wire.transfers {
                abandon(transfer, CurlFailure.shutDown)
            }
        }

        /// Collects cancellations that arrive in quick succession: a group cancels its tasks one by one, running ones
        /// first, and each freed place would go to a call that is itself about to be cancelled.
        func awaitCancellations() {
            guard hasCancelled else { return }
            let end = shared.now + 10_000_000
            while hasCancelled, limiter.waiting > 0, MonotonicTime.now() < end {
                hasCancelled = false
                awaitNextCommand()
                execute()
            }
            hasCancelled = false
        }

        /// Waits until a socket is ready, a limit expires or a command arrives, then lets libcurl continue.
        func wait(_ now: Int64, atMost idleEnd: Int64) {
            let next = min(nextDeadline, idleEnd, shared.sockets.timer)
            var timeout =
                next <= now || !shared.news.isEmpty || !shared.sockets.ready.isEmpty
                ? 0 : min(60_000, (next - now - 1) / 1_000_000 + 1)
            if timeout > 0 {
                let sleeps = mailbox.withLock { box in
                    box.isAsleep = box.commands.isEmpty && box.jobs.isEmpty
                    return box.isAsleep
                }
                if !sleeps { timeout = 0 }
            }
            let count: Int
            if timeout > 0 {
                sleepsUntil = next
                count = stateLock.withLockReleased { shared.sockets.wait(Int32(timeout)) }
                sleepsUntil = 0
            } else {
                count = shared.sockets.wait(0)
            }
            // The callbacks' idea of now: the end of the wait, not its beginning.
            shared.now = MonotonicTime.now()
            shared.sockets.act(on: count)
            if !shared.sockets.ready.isEmpty { actOnWire() }
        }

        func end() {
            hasEnded = true
            resumeReady()
            handles.removeAll()
            endLookUps()
            closeWire()
            let (left, jobs, waiting, resting) = mailbox.withLock { box in
                box.isEnded = true
                defer { (box.commands, box.jobs, box.waitingForEnd, box.resting) = ([], Fifo(), [], []) }
                return (box.commands, box.jobs, box.waitingForEnd, box.resting)
            }
            var rest = jobs
            while let job = rest.popFirst() { CurlLoop.runElsewhere(job) }
            for wakeUp in resting { wakeUp.wake() }
            for command in left {
                switch command {
                case .statistics(let continuation): continuation.resume(returning: statistics)
                case .send(_, let write): write.finish(CurlFailure.shutDown)
                default: break  // Nothing is running that it could refer to.
                }
            }
            for multi in shared.sockets.multis { multi.end() }
            for continuation in waiting { continuation.resume() }
        }
    }
#endif
