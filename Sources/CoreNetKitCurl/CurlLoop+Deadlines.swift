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
                    abandon(transfer, CurlFailure.timedOut(.total, transfer, handle: nil))
                }
            }
            for index in handles.indices {
                guard let transfer = handles[index].transfer else { continue }
                var (deadline, limit) = CurlLoop.deadline(of: transfer, handles[index].state.pointee)
                if now >= deadline, limit == .idle, hasMoved(handles[index], now) {
                    (deadline, limit) = CurlLoop.deadline(of: transfer, handles[index].state.pointee)
                }
                if now >= deadline {
                    abandon(transfer, CurlFailure.timedOut(limit, transfer, handle: handles[index]))
                } else {
                    let soonest = MonotonicTime.after(now, transfer.limits.shortest)
                    nextDeadline = min(nextDeadline, min(deadline, soonest))
                }
            }
        }

        /// Whether bytes went out or came in that no callback has heard of: from libcurl's buffers, or half a line.
        ///
        /// Each stream of HTTP/2 is judged by what libcurl has counted for it: its connection moves for others, too.
        private func hasMoved(_ handle: EasyHandle, _ now: Int64) -> Bool {
            let state = handle.state
            let before = state.pointee.lastActivity
            if !state.pointee.mayShareConnection, state.pointee.socket >= 0 {
                let movedAt = shared.sockets.movedAt(state.pointee.socket)
                state.pointee.lastActivity = max(before, movedAt)
                return movedAt > before
            }
            let written = cnc_easy_size(handle.easy, CNCINFO_SIZE_UPLOAD_T)
            // What comes in is noted by its callback, as it is read.
            let hasMoved = written > state.pointee.written
            state.pointee.written = written
            if hasMoved { state.pointee.lastActivity = now }
            return hasMoved
        }

        /// The limit that strikes first as things are now.
        private static func deadline(of transfer: Transfer, _ state: borrowing TransferState) -> (
            Int64, CurlFailure.Limit
        ) {
            let limits = transfer.limits
            var first = (MonotonicTime.after(transfer.queuedAt, limits.total), CurlFailure.Limit.total)
            func consider(_ start: Int64, _ length: Int64, _ limit: CurlFailure.Limit) {
                let deadline = MonotonicTime.after(start, length)
                if deadline < first.0 { first = (deadline, limit) }
            }
            if state.connectedAt == 0 {
                consider(state.connectStartedAt, limits.connect, .connect)
            } else if state.firstByteAt == 0, state.sentAt != 0 {
                consider(state.sentAt, limits.firstByte, .firstByte)
            } else if !state.isReceivePaused, !state.isSendPaused {
                consider(state.lastActivity, limits.idle, .idle)
            }
            return first
        }
    }
#endif
