#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension CurlLoop {
        /// Ends what is over its limits, and finds out when to look again.
        ///
        /// One look serves all transfers: a limit that begins later than now cannot strike before now and its length.
        func checkDeadlines(_ now: Int64) {
            nextDeadline = MonotonicTime.never
            for host in limiter.waitingHosts {
                for transfer in host.waiting {
                    let deadline = MonotonicTime.after(transfer.queuedAt, transfer.limits.total)
                    guard now >= deadline else {
                        nextDeadline = min(nextDeadline, deadline)
                        continue
                    }
                    abandon(transfer, CurlFailure.timedOut(.total, transfer, slot: nil))
                }
            }
            for index in slots.indices {
                guard let transfer = slots[index].transfer else { continue }
                var (deadline, limit) = CurlLoop.deadline(of: transfer, slots[index].exchange.pointee)
                if now >= deadline, limit == .idle, hasMoved(slots[index], now) {
                    (deadline, limit) = CurlLoop.deadline(of: transfer, slots[index].exchange.pointee)
                }
                if now >= deadline {
                    abandon(transfer, CurlFailure.timedOut(limit, transfer, slot: slots[index]))
                } else {
                    let soonest = MonotonicTime.after(now, transfer.limits.shortest)
                    nextDeadline = min(nextDeadline, min(deadline, soonest))
                }
            }
        }

        /// Whether bytes went out or came in that no callback has heard of: from libcurl's buffers, or half a line.
        private func hasMoved(_ slot: CurlSlot, _ now: Int64) -> Bool {
            let exchange = slot.exchange
            let written = cnc_easy_size(slot.easy, CNCINFO_SIZE_UPLOAD_T)
            if written > exchange.pointee.written {
                exchange.pointee.written = written
                exchange.pointee.lastActivity = now
                return true
            }
            let silence = cnc_easy_silence(slot.easy)
            guard silence >= 0, now - Int64(silence) * 1_000_000 > exchange.pointee.lastActivity else { return false }
            exchange.pointee.lastActivity = now - Int64(silence) * 1_000_000
            return true
        }

        /// The limit that strikes first as things are now.
        private static func deadline(of transfer: Transfer, _ exchange: borrowing Exchange) -> (
            Int64, CurlFailure.Limit
        ) {
            let limits = transfer.limits
            var first = (MonotonicTime.after(transfer.queuedAt, limits.total), CurlFailure.Limit.total)
            func consider(_ start: Int64, _ length: Int64, _ limit: CurlFailure.Limit) {
                let deadline = MonotonicTime.after(start, length)
                if deadline < first.0 { first = (deadline, limit) }
            }
            if exchange.connectedAt == 0 {
                consider(exchange.connectStartedAt, limits.connect, .connect)
            } else if exchange.firstByteAt == 0, exchange.sentAt != 0 {
                consider(exchange.sentAt, limits.firstByte, .firstByte)
            } else if !exchange.isReceivePaused, !exchange.isSendPaused {
                consider(exchange.lastActivity, limits.idle, .idle)
            }
            return first
        }
    }
#endif
