#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitWire

    // WebSockets on an HTTP/2 stream (RFC 8441): extended CONNECT in place of the upgrade, then bytes both ways as content.
    extension CurlLoop {
        func startOnStream(_ transfer: Transfer, _ host: ConnectionLimiter.Host) -> Bool {
            for connection in host.http2 {
                guard let streams = connection.streams, streams.capacity > 0, streams.session.hasExtendedConnect else {
                    continue
                }
                begin(transfer, on: connection, streams)
                return true
            }
            return false
        }

        /// The server has accepted: the caller gets the response that HTTP/1.1 has for it, a 101 with a matching key.
        func accepted(_ lines: UnsafeRawBufferPointer, _ transfer: Transfer, _ exchange: WireExchange) {
            let sent = Headers(fields: HeaderLines.fields(in: transfer.wire.head, skipsFirst: true))
            let accept = SocketHandshake.accept(sent["Sec-WebSocket-Key"] ?? "")
            var head = Data(
                ":status: 101\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: \(accept)\r\n".utf8
            )
            let first = (lines.firstIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
            head.append(contentsOf: lines[first...])
            if head.withUnsafeBytes({ switched($0, transfer, exchange) }) { wire.pendingDeliveries.append(exchange) }
        }

        func sendSwitched(_ exchange: WireExchange, _ streams: HTTP2Streams) {
            guard exchange.sending.piece.count == 0, let write = exchange.outbox.first else { return }
            let isCopied = write.data.withUnsafeBytes { bytes in
                let count = min(bytes.count - write.written, WirePool.bufferSize)
                return bytes.baseAddress.map { exchange.sending.piece.append($0 + write.written, count: count) } ?? true
            }
            guard isCopied else { return }
            guard exchange.sending.piece.count > 0 else { return didSendSwitched(exchange, streams) }
            _ = streams.session.submit(exchange.sending.piece.buffer, isLast: false, to: exchange.stream)
            scheduleFlush(exchange.connection, streams)
        }

        func didSendSwitched(_ exchange: WireExchange, _ streams: HTTP2Streams) {
            guard let write = exchange.outbox.first else { return }
            write.written += exchange.sending.piece.count
            exchange.sending.piece.removeAll()
            if write.written == write.data.count {
                exchange.outbox.removeFirst()
                write.finish(nil)
            }
            sendSwitched(exchange, streams)
        }
    }
#endif
