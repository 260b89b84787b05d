#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    extension CurlLoop {
        /// - Returns: Whether the exchange continues on this connection.
        func take(head lines: UnsafeRawBufferPointer, _ transfer: Transfer, _ exchange: WireExchange) -> Bool {
            guard let head = exchange.receiving.head else { return false }
            exchange.receiving.status = Int32(head.status)
            // A server that waited for a request in vain says so and closes: it has not seen this request.
            if head.status == 408, !head.keepsConnection, !exchange.isNew, transfer.outcome.interim.isEmpty {
                exchange.sending.progress = .refused
                if resendIfPossible(transfer, exchange) { return false }
            }
            guard transfer.outcome.head.append(lines) else {
                refuse(exchange, .failed, "no memory for the response")
                return false
            }
            transfer.note(head)
            // The server does not want the rest of the content (RFC 9112, 9.5): only the response is read.
            if head.status >= 300, !exchange.sending.isDone {
                (exchange.sending.isDone, exchange.sending.isRefused) = (true, true)
                exchange.sending.continueDeadline = 0
                exchange.sending.isPaused = false
                watch(exchange)
            } else {
                resumeAfterContinue(exchange)
            }
            return exchange.transfer === transfer
        }

        func takeHead(_ transfer: Transfer, _ exchange: CurlExchange) {
            transfer.outcome.status = exchange.receiving.status
            let head = exchange.receiving.head
            transfer.outcome.codings = head?.codings ?? ContentCodings()
            transfer.outcome.isDelimited = head?.framing.isDelimited ?? true
            transfer.outcome.timings = RawTimings(transfer)
        }
    }
#endif
