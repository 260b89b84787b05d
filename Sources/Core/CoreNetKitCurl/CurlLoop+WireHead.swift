#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    extension CurlLoop {
        static let interimLimit = 100

        func noteInterim(
            _ lines: UnsafeRawBufferPointer,
            _ status: Int,
            _ transfer: Transfer,
            _ exchange: WireExchange
        ) {
            if exchange.receiving.interim.count < CurlLoop.interimLimit {
                let headers = Headers(fields: HeaderLines.fields(in: lines, skipsFirst: true))
                exchange.receiving.interim.append(InterimResponse(status: status, headers: headers))
                if let monitor = transfer.terms.monitor {
                    let interim = exchange.receiving.interim
                    monitor.update { $0.interim = interim }
                }
            }
            if status == 100 { resumeAfterContinue(exchange) }
        }

        /// - Returns: Whether the exchange continues on this connection.
        func take(
            head lines: UnsafeRawBufferPointer,
            _ transfer: Transfer,
            _ exchange: WireExchange
        ) -> Bool {
            guard let head = exchange.receiving.head, let base = lines.baseAddress else { return false }
            exchange.receiving.status = Int32(head.status)
            // A server that waited for a request in vain says so and closes: it has not seen this request.
            if head.status == 408, !head.keepsConnection, !exchange.isNew, exchange.receiving.interim.isEmpty {
                exchange.sending.progress = .refused
                if resendIfPossible(transfer, exchange) { return false }
            }
            guard transfer.outcome.head.append(base, count: lines.count) else {
                refuse(transfer, exchange, .failed, "no memory for the response")
                return false
            }
            exchange.receiving.isDecoded = transfer.wire.asksForCoding && head.codings.isDecodable
            if let monitor = transfer.terms.monitor, case .length(let expected) = head.framing {
                monitor.update { $0.bytesExpected = expected }
            }
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

        /// Takes the status and the head, which the caller gets before the content.
        func takeHead(_ transfer: Transfer, _ exchange: WireExchange) {
            transfer.outcome.status = exchange.receiving.status
            transfer.outcome.isDecoded = exchange.receiving.isDecoded
            let head = exchange.receiving.head
            transfer.outcome.codings = head?.codings ?? ContentCodings()
            transfer.outcome.isDelimited = head?.framing.isDelimited ?? true
            if !exchange.receiving.interim.isEmpty { swap(&transfer.outcome.interim, &exchange.receiving.interim) }
            transfer.outcome.timings = RawTimings(transfer, exchange)
        }
    }
#endif
