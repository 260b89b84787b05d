#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension CurlLoop {
        /// Looks after exchanges whose callbacks have news: chunks for readers, and heads.
        func attend() {
            guard !board.news.isEmpty else { return }
            // Reading on makes news: that is for the next turn.
            swap(&board.news, &announced)
            defer { announced.removeAll(keepingCapacity: true) }
            for number in announced {
                guard slots.indices.contains(number) else { continue }
                let slot = slots[number]
                slot.exchange.pointee.hasNews = false
                guard let transfer = slot.transfer else { continue }
                guard slot.exchange.pointee.isWatched, slot.exchange.pointee.headIsComplete else { continue }
                if case .stream(let pipe) = transfer.receiver { deliver(transfer, slot, to: pipe) }
                if transfer.plan.endsAtHead, slot.transfer === transfer {
                    slot.closeConnection()
                    complete(transfer, slot)
                }
            }
        }

        /// Gives the reader what has come in, the head first.
        func handOver(_ transfer: Transfer, _ slot: CurlSlot, to pipe: ChunkPipe) {
            let exchange = slot.exchange
            if let continuation = transfer.continuation {
                takeHead(transfer, slot)
                transfer.continuation = nil
                transfer.leavesUploadToCaller = false
                ready.append(continuation)
            }
            if exchange.pointee.body.count > 0 {
                exchange.pointee.unread = pipe.deliver(exchange.pointee.body.takeData())
            }
        }

        /// Gives the reader what has come in, and reads on when there is room.
        private func deliver(_ transfer: Transfer, _ slot: CurlSlot, to pipe: ChunkPipe) {
            let exchange = slot.exchange
            handOver(transfer, slot, to: pipe)
            if exchange.pointee.wantsPause {
                exchange.pointee.wantsPause = false
                if exchange.pointee.unread > exchange.pointee.limit, !exchange.pointee.isReceivePaused {
                    slot.pauseReceiving()
                }
            }
            if exchange.pointee.isReceivePaused, pipe.wantRoom() {
                resumeReceiving(transfer)
            }
        }

        func resumeReceiving(_ transfer: Transfer) {
            guard let slot = transfer.slot, slot.exchange.pointee.isReceivePaused else { return }
            if case .stream(let pipe) = transfer.receiver { slot.exchange.pointee.unread = pipe.unread }
            slot.exchange.pointee.isReceivePaused = false
            slot.exchange.pointee.lastActivity = MonotonicTime.now()
            resume(transfer, slot)
        }

        private func resume(_ transfer: Transfer, _ slot: CurlSlot) {
            let result = slot.resume()
            if result != CNCE_OK { abandon(transfer, CurlFailure.error(for: result, transfer, slot)) }
        }

        func resumeSending(_ transfer: Transfer) {
            guard let slot = transfer.slot, slot.exchange.pointee.isSendPaused else { return }
            slot.exchange.pointee.isSendPaused = false
            slot.exchange.pointee.lastActivity = MonotonicTime.now()
            resume(transfer, slot)
        }
    }
#endif
