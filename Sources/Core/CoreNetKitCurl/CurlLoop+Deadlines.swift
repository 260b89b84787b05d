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
                    let deadline = MonotonicTime.after(transfer.queuedAt, transfer.terms.limits.total)
                    guard now >= deadline else {
                        nextDeadline = min(nextDeadline, deadline)
                        continue
                    }
                    abandon(transfer, CurlFailure.timedOut(.total, transfer))
                }
            }
            for handle in handles.values {
                let transfer = handle.transfer
                var (deadline, limit) = CurlLoop.deadline(of: transfer, ExchangeTimes(transfer))
                if now >= deadline, limit == .idle, handle.takeUploadProgress() {
                    handle.link.lastActivity = now
                    (deadline, limit) = CurlLoop.deadline(of: transfer, ExchangeTimes(transfer))
                }
                enforce(transfer, deadline, limit, now)
                if !handle.isOver { resumeAfterContinue(transfer, handle) }
            }
            checkAwaiting(now)
            checkLiveness(now)
            for transfer in wire.transfers {
                // Its owner decides how long it lives.
                if transfer.isUpgraded { continue }
                let (deadline, limit) = CurlLoop.deadline(of: transfer, ExchangeTimes(transfer))
                enforce(transfer, deadline, limit, now)
                if case .wire(let exchange) = transfer.carrier, exchange.sending.continueDeadline != 0 {
                    resumeIfContinueTimedOut(exchange, now)
                }
            }
        }

        /// The same for transfers that wait for a connection that is being made.
        private func checkAwaiting(_ now: Int64) {
            for host in limiter.awaitingHosts {
                for transfer in host.awaitingConnection {
                    let (deadline, limit) = CurlLoop.deadline(of: transfer, ExchangeTimes(transfer))
                    enforce(transfer, deadline, limit, now)
                }
                connectIfOverdue(host, now)
            }
        }

        /// Ends a transfer that exceeds its limit, or notes when to check again.
        private func enforce(_ transfer: Transfer, _ deadline: Int64, _ limit: PhaseLimit, _ now: Int64) {
            guard now < deadline else {
                retireSilent(transfer)
                return abandon(transfer, CurlFailure.timedOut(limit, transfer))
            }
            let soonest = MonotonicTime.after(now, transfer.terms.limits.shortest)
            nextDeadline = min(nextDeadline, min(deadline, soonest))
        }

        /// The connection gets no new requests if nothing was received since this one was sent.
        private func retireSilent(_ transfer: Transfer) {
            guard case .wire(let exchange) = transfer.carrier, let streams = exchange.connection.streams,
                streams.receivedAt <= max(exchange.connectedAt, exchange.sending.sentAt)
            else { return }
            retire(exchange.connection, streams)
        }

        /// The limit that expires first in the current state.
        private static func deadline(of transfer: Transfer, _ times: ExchangeTimes) -> (Int64, PhaseLimit) {
            let limits = transfer.terms.limits
            var first = (MonotonicTime.after(transfer.queuedAt, limits.total), PhaseLimit.total)
            func consider(_ start: Int64, _ limit: PhaseLimit) {
                let deadline = MonotonicTime.after(start, limits[limit])
                if deadline < first.0 { first = (deadline, limit) }
            }
            if times.connectedAt == 0 {
                consider(times.connectStartedAt, .connect)
            } else if times.firstByteAt == 0, times.sentAt != 0 {
                consider(times.sentAt, .firstByte)
            } else if !times.isPaused {
                consider(times.lastActivity, .idle)
            }
            return first
        }
    }

    /// The times that limits count from; 0 means not yet.
    private struct ExchangeTimes {
        var connectStartedAt: Int64 = 0
        var connectedAt: Int64 = 0
        var sentAt: Int64 = 0
        var firstByteAt: Int64 = 0
        var lastActivity: Int64 = 0
        /// Whether the exchange waits for its own task.
        var isPaused = false

        init(_ transfer: Transfer) {
            connectStartedAt = transfer.startedAt
            switch transfer.carrier {
            case .none, .awaiting: break
            case .multi(let handle):
                (connectStartedAt, connectedAt) = (handle.link.connectStartedAt, handle.link.connectedAt)
                (sentAt, firstByteAt) = (handle.sending.sentAt, handle.response.firstByteAt)
                lastActivity = handle.link.lastActivity
                isPaused = handle.response.isPaused || handle.sending.isPaused
            case .connecting(let connector): connectStartedAt = connector.opening.pointee.startedAt
            case .wire(let exchange):
                (connectedAt, lastActivity) = (exchange.connectedAt, exchange.lastActivity)
                (sentAt, firstByteAt) = (exchange.sending.sentAt, exchange.receiving.firstByteAt)
                isPaused = exchange.receiving.isPaused || exchange.sending.isPaused
            }
        }
    }
#endif
