#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    extension CurlLoop {
        /// Looks after exchanges whose callbacks have news: chunks for readers, heads, decompression to be checked.
        func attend() {
            board.hasNews = false
            for index in slots.indices {
                let slot = slots[index]
                guard let transfer = slot.transfer else { continue }
                if slot.exchange.pointee.awaitsCheck { checkExpansion(transfer, slot) }
                // Ended by the check: the slot is free, or another's already.
                guard slot.transfer === transfer else { continue }
                guard slot.exchange.pointee.isWatched, slot.exchange.pointee.headIsComplete else { continue }
                if case .stream(let pipe) = transfer.receiver { deliver(transfer, slot, to: pipe) }
                if transfer.plan.endsAtHead, slot.transfer === transfer {
                    slot.closeConnection()
                    complete(transfer, slot)
                }
            }
        }

        /// Gives the reader what has come in, the head first, and reads on when there is room.
        func deliver(_ transfer: Transfer, _ slot: CurlSlot, to pipe: ChunkPipe) {
            let exchange = slot.exchange
            if let continuation = transfer.continuation {
                takeHead(transfer, slot)
                transfer.continuation = nil
                ready.append(continuation)
            }
            if exchange.pointee.body.count > 0 {
                exchange.pointee.unread = pipe.deliver(exchange.pointee.body.takeData())
            }
            if exchange.pointee.isReceivePaused, !exchange.pointee.awaitsCheck, pipe.wantRoom() {
                resumeReceiving(transfer)
            }
        }

        func resumeReceiving(_ transfer: Transfer) {
            guard let slot = transfer.slot, slot.exchange.pointee.isReceivePaused,
                !slot.exchange.pointee.awaitsCheck
            else { return }
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

        /// Compares the content with what came over the wire, and goes on where the guard's ratio is kept.
        private func checkExpansion(_ transfer: Transfer, _ slot: CurlSlot) {
            let exchange = slot.exchange
            exchange.pointee.awaitsCheck = false
            // libcurl counts a piece of chunked content after it was handed on: allow for one read.
            let wire = cnc_easy_size(slot.easy, CNCINFO_SIZE_DOWNLOAD_T) + 64 << 10
            let allowed = wire * exchange.pointee.guardRatio
            guard allowed > exchange.pointee.checkpoint else {
                exchange.pointee.refusal = .expanded
                return abandon(transfer, CurlFailure.error(for: CNCE_WRITE_ERROR, transfer, slot))
            }
            exchange.pointee.checkpoint = allowed
            resumeReceiving(transfer)
        }
    }
#endif
