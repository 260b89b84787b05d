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

        /// Whether bytes went out or came in that no callback has heard of: from libcurl's buffers, not decompressed yet,
        /// or half a line.
        ///
        /// Each stream of HTTP/2 is judged by what libcurl has counted for it: its connection moves for others, too.
        private func hasMoved(_ slot: CurlSlot, _ now: Int64) -> Bool {
            let exchange = slot.exchange
            let before = exchange.pointee.lastActivity
            if !exchange.pointee.mayShareConnection, exchange.pointee.socket >= 0 {
                let movedAt = board.sockets.movedAt(exchange.pointee.socket)
                exchange.pointee.lastActivity = max(before, movedAt)
                return movedAt > before
            }
            let written = cnc_easy_size(slot.easy, CNCINFO_SIZE_UPLOAD_T)
            let read = cnc_easy_size(slot.easy, CNCINFO_SIZE_DOWNLOAD_T)
            // Other content is noted by its callback, as it is read.
            let hasRead = exchange.pointee.isCompressed && read > exchange.pointee.read
            let hasMoved = written > exchange.pointee.written || hasRead
            (exchange.pointee.written, exchange.pointee.read) = (written, read)
            if hasMoved { exchange.pointee.lastActivity = now }
            return hasMoved
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
