#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension CurlLoop {
        func check(at time: Int64) { nextDeadline = min(nextDeadline, time) }

        /// Ends the transfers that exceed a limit, and determines when to check again, once for all of them: a limit
        /// that starts after now cannot expire before now plus its length.
        func checkDeadlines(_ now: Int64) {
            nextDeadline = MonotonicTime.never
            for host in limiter.waitingHosts {
                for transfer in host.waiting { enforceLimits(of: transfer, now) }
            }
            for handle in handles.values {
                let (deadline, limit) = CurlLoop.deadline(of: handle.transfer)
                if now >= deadline, limit == .idle, handle.takeUploadProgress() { handle.lastActivity = now }
                enforceLimits(of: handle.transfer, now)
                if !handle.isOver { resumeAfterContinue(handle.transfer, handle) }
            }
            for host in limiter.awaitingHosts {
                for transfer in host.awaitingConnection { enforceLimits(of: transfer, now) }
                connectIfOverdue(host, now)
            }
            checkLiveness(now)
            for transfer in wire.transfers {
                // Its owner decides how long it lives.
                if transfer.isUpgraded { continue }
                enforceLimits(of: transfer, now)
                guard case .wire(let exchange) = transfer.carrier, exchange.sending.continueDeadline != 0 else {
                    continue
                }
                let end = exchange.sending.continueDeadline
                if now < end { check(at: end) } else { resumeAfterContinue(exchange) }
            }
        }

        private func enforceLimits(of transfer: Transfer, _ now: Int64) {
            let (deadline, limit) = CurlLoop.deadline(of: transfer)
            guard now < deadline else {
                retireSilent(transfer)
                return abandon(transfer, CurlFailure.timedOut(limit, transfer))
            }
            check(at: deadline)
            // Its other limits start later.
            guard transfer.stage == .running else { return }
            check(at: MonotonicTime.after(now, transfer.parameters.limits.shortest))
        }

        /// The connection gets no new requests if nothing was received since this one was sent.
        private func retireSilent(_ transfer: Transfer) {
            guard case .wire(let exchange) = transfer.carrier, let streams = exchange.connection.streams,
                streams.receivedAt <= max(exchange.connectedAt, exchange.sending.sentAt)
            else { return }
            retire(exchange.connection, streams)
        }

        private static func deadline(of transfer: Transfer) -> (Int64, PhaseLimit) {
            let limits = transfer.parameters.limits
            var first = (MonotonicTime.after(transfer.queuedAt, limits.total), PhaseLimit.total)
            func consider(_ start: Int64, _ limit: PhaseLimit) {
                let deadline = MonotonicTime.after(start, limits[limit])
                if deadline < first.0 { first = (deadline, limit) }
            }
            func consider(_ exchange: CurlExchange) {
                if exchange.receiving.firstByteAt == 0, exchange.sending.sentAt != 0 {
                    consider(exchange.sending.sentAt, .firstByte)
                } else if !exchange.receiving.isPaused, !exchange.sending.isPaused {
                    consider(exchange.lastActivity, .idle)
                }
            }
            switch transfer.carrier {
            case .none where transfer.stage == .waiting: break
            case .none, .awaiting: consider(transfer.startedAt, .connect)
            case .connecting(let connector): consider(connector.setup.pointee.startedAt, .connect)
            case .multi(let handle) where handle.connectedAt == 0: consider(handle.link.connectStartedAt, .connect)
            case .multi(let handle): consider(handle)
            case .wire(let exchange): consider(exchange)
            }
            return first
        }
    }
#endif
