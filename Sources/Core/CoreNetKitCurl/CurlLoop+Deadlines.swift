#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension CurlLoop {
        /// Ends the transfers that exceed a limit, and determines when to check again.
        ///
        /// One check covers all transfers: a limit that starts after now cannot expire before now plus its length.
        func checkDeadlines(_ now: Int64) {
            nextDeadline = MonotonicTime.never
            for host in limiter.waitingHosts {
                for transfer in host.waiting {
                    let deadline = MonotonicTime.after(transfer.queuedAt, transfer.limits.total)
                    guard now >= deadline else {
                        nextDeadline = min(nextDeadline, deadline)
                        continue
                    }
                    abandon(transfer, CurlFailure.timedOut(.total, transfer))
                }
            }
            for index in handles.indices {
                guard let transfer = handles[index].transfer else { continue }
                let state = handles[index].state
                var (deadline, limit) = CurlLoop.deadline(of: transfer, ExchangeTimes(state.pointee))
                if now >= deadline, limit == .idle, hasMoved(handles[index], now) {
                    (deadline, limit) = CurlLoop.deadline(of: transfer, ExchangeTimes(state.pointee))
                }
                if now >= deadline, limit == .idle, endsSilently(handles[index]) {
                    handles[index].closeConnection()
                    complete(transfer, handles[index])
                    continue
                }
                settle(transfer, deadline, limit, now)
                guard handles[index].transfer === transfer else { continue }
                probeAgain(transfer, handles[index], now)
                goOn(transfer, handles[index])
            }
            for transfer in wire.transfers {
                // Its owner decides how long it lives.
                if transfer.isSwitched { continue }
                let (deadline, limit) = CurlLoop.deadline(of: transfer, ExchangeTimes(transfer))
                settle(transfer, deadline, limit, now)
                if case .wire(let connection) = transfer.place, connection.sending.continueAt != 0 {
                    goOnWithoutContinue(connection, now)
                }
            }
        }

        /// How long calls to a server wait for the first connection to it, in nanoseconds.
        static let probePatience: Int64 = 1_000_000_000

        /// Lets another call try beside the first one, whose connection takes long.
        private func probeAgain(_ transfer: Transfer, _ handle: EasyHandle, _ now: Int64) {
            guard let host = transfer.host, host.isProbed, handle.state.pointee.link.connectedAt == 0 else { return }
            if now >= MonotonicTime.after(host.probedAt, CurlLoop.probePatience) { limiter.probeAgain(host, now: now) }
            nextDeadline = min(nextDeadline, MonotonicTime.after(host.probedAt, CurlLoop.probePatience))
        }

        /// Whether nothing is known to be missing: older libcurl does not notice the end of a response without a length
        /// while the request's body is being sent.
        private func endsSilently(_ handle: EasyHandle) -> Bool {
            let response = handle.state.pointee.response
            return response.isEarly && !response.hasLength && !response.isPaused
        }

        /// Ends a transfer that exceeds its limit, or notes when to check again.
        private func settle(_ transfer: Transfer, _ deadline: Int64, _ limit: CurlFailure.Limit, _ now: Int64) {
            guard now < deadline else { return abandon(transfer, CurlFailure.timedOut(limit, transfer)) }
            let soonest = MonotonicTime.after(now, transfer.limits.shortest)
            nextDeadline = min(nextDeadline, min(deadline, soonest))
        }

        /// Whether bytes moved that no callback has seen: out of libcurl's buffers, or part of a line.
        ///
        /// An HTTP/2 stream is judged by libcurl's counts for it: its connection moves for others too.
        private func hasMoved(_ handle: EasyHandle, _ now: Int64) -> Bool {
            let state = handle.state
            let before = state.pointee.link.lastActivity
            if !state.pointee.link.mayShareConnection, state.pointee.link.socket >= 0 {
                let movedAt = shared.sockets.movedAt(state.pointee.link.socket)
                state.pointee.link.lastActivity = max(before, movedAt)
                return movedAt > before
            }
            // Received bytes are noted by their callback; bytes sent since the last check left before the last turn
            // that skipped the check.
            let hasWritten = handle.hasWritten(at: state.pointee.link.mayShareConnection ? uploadsSkippedAt : now)
            return hasWritten && state.pointee.link.lastActivity > before
        }

        /// Notes which bodies made progress: libcurl counts the bytes, but does not say when they left.
        ///
        /// Called after each turn in which libcurl may have sent, so that a limit counts from that turn. At most one
        /// check per millisecond, since turns are more frequent, but always one before sleeping.
        func noteUploads(sleeping: Bool = false) {
            guard !uploading.isEmpty, !sleeping || uploadsSkippedAt > uploadsSeenAt else { return }
            let now = MonotonicTime.now()
            guard sleeping || now - uploadsSeenAt >= 1_000_000 else {
                uploadsSkippedAt = now
                return
            }
            (uploadsSeenAt, uploadsSkippedAt) = (now, now)
            uploading.removeAll { number in
                guard handles.indices.contains(number) else { return true }
                return !handles[number].noteUpload(now)
            }
        }

        /// The limit that expires first in the current state.
        private static func deadline(of transfer: Transfer, _ times: ExchangeTimes) -> (Int64, CurlFailure.Limit) {
            let limits = transfer.limits
            var first = (MonotonicTime.after(transfer.queuedAt, limits.total), CurlFailure.Limit.total)
            func consider(_ start: Int64, _ length: Int64, _ limit: CurlFailure.Limit) {
                let deadline = MonotonicTime.after(start, length)
                if deadline < first.0 { first = (deadline, limit) }
            }
            if times.connectedAt == 0 {
                consider(times.connectStartedAt, limits.connect, .connect)
            } else if times.firstByteAt == 0, times.sentAt != 0 {
                consider(times.sentAt, limits.firstByte, .firstByte)
            } else if !times.isPaused {
                consider(times.lastActivity, limits.idle, .idle)
            }
            return first
        }
    }

    /// The times that limits count from, on either lane; 0 means not yet.
    private struct ExchangeTimes {
        var connectStartedAt: Int64 = 0
        var connectedAt: Int64 = 0
        var sentAt: Int64 = 0
        var firstByteAt: Int64 = 0
        var lastActivity: Int64 = 0
        /// Whether the exchange waits for its own task.
        var isPaused = false

        init(_ state: borrowing TransferState) {
            (connectStartedAt, connectedAt) = (state.link.connectStartedAt, state.link.connectedAt)
            (sentAt, firstByteAt, lastActivity) = (
                state.sending.sentAt, state.response.firstByteAt, state.link.lastActivity
            )
            isPaused = state.response.isPaused || state.sending.isPaused
        }

        init(_ transfer: Transfer) {
            connectStartedAt = transfer.startedAt
            switch transfer.place {
            case .none, .multi: break
            case .connecting(let connector): connectStartedAt = connector.opening.pointee.startedAt
            case .wire(let connection):
                (connectedAt, lastActivity) = (connection.connectedAt, connection.lastActivity)
                (sentAt, firstByteAt) = (connection.sending.sentAt, connection.receiving.firstByteAt)
                isPaused = connection.receiving.isPaused || connection.sending.isPaused
            }
        }
    }
#endif
