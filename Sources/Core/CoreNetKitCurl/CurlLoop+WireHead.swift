#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    extension CurlLoop {
        /// The maximum number of interim responses before the response.
        private static let interimLimit = 100

        /// An informational response (RFC 9110, 15.2).
        func noteInterim(
            _ input: UnsafeRawBufferPointer,
            _ range: Range<Int>,
            _ status: Int,
            _ transfer: Transfer,
            _ connection: WireConnection
        ) {
            let lines = UnsafeRawBufferPointer(rebasing: input[range])
            if connection.receiving.interim.count < CurlLoop.interimLimit {
                let headers = Headers(fields: HeaderLines.fields(in: lines, skipsFirst: true))
                connection.receiving.interim.append(InterimResponse(status: status, headers: headers))
                if let monitor = transfer.monitor {
                    let interim = connection.receiving.interim
                    monitor.update { $0.interim = interim }
                }
            }
            if status == 100 { goOn(connection) }
        }

        /// The head of the response.
        ///
        /// - Returns: Whether the exchange continues on this connection.
        func take(
            head input: UnsafeRawBufferPointer,
            _ range: Range<Int>,
            _ transfer: Transfer,
            _ connection: WireConnection
        ) -> Bool {
            guard let head = connection.receiving.reader.head, let base = input.baseAddress else { return false }
            connection.receiving.status = Int32(head.status)
            // A server that waited for a request in vain says so and closes: it has not seen this request.
            if head.status == 408, !head.keepsConnection, !connection.isNew, connection.receiving.interim.isEmpty {
                connection.sending.progress = .refused
                if repeats(transfer, connection) { return false }
            }
            guard transfer.head.append(base + range.lowerBound, count: range.count) else {
                refuse(transfer, connection, .failed, "no memory for the response")
                return false
            }
            connection.receiving.isDecoded = transfer.wire.asksForCoding && head.codings.canBeUndone
            if let monitor = transfer.monitor, case .length(let expected) = head.framing {
                monitor.update { $0.bytesExpected = expected }
            }
            // The server does not want the rest of the content (RFC 9112, 9.5): only the response is read.
            if head.status >= 300, !connection.sending.isDone {
                (connection.sending.isDone, connection.sending.isRefused) = (true, true)
                connection.sending.continueAt = 0
                connection.sending.isPaused = false
                watch(connection)
            } else {
                goOn(connection)
            }
            return connection.transfer === transfer
        }

        /// What a caller gets before the content.
        func takeHead(_ transfer: Transfer, _ connection: WireConnection) {
            transfer.status = connection.receiving.status
            transfer.isDecoded = connection.receiving.isDecoded
            let head = connection.receiving.reader.head
            transfer.codings = head?.codings ?? ContentCodings()
            transfer.isDelimited = head?.framing.isDelimited ?? true
            if !connection.receiving.interim.isEmpty { swap(&transfer.interim, &connection.receiving.interim) }
            transfer.timings = RawTimings(transfer, connection)
        }
    }
#endif
