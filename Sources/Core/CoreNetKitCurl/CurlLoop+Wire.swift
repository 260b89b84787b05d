#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    // The life cycle of our own connections: made by libcurl, used by one exchange after another, kept, closed.
    extension CurlLoop {
        /// Sends on a connection with room, on a kept one on which nothing has arrived meanwhile, otherwise on a new one.
        func startOnWire(_ transfer: Transfer) {
            guard let host = transfer.host else { return }
            if transfer.parameters.mayShare {
                while let connection = host.http2.first(where: { $0.streams.map { $0.capacity > 0 } ?? false }),
                    let streams = connection.streams
                {
                    if streams.exchanges.isEmpty {
                        guard wire.isYoung(connection, shared.now) else {
                            retire(connection, streams)
                            continue
                        }
                        // The server may have sent GOAWAY since it was used.
                        receive(connection, streams)
                        guard !streams.isRetired else { continue }
                    }
                    return begin(transfer, on: connection, streams)
                }
            }
            if transfer.parameters.isWebSocket, startOnStream(transfer, host) { return }
            // A kept connection to a proxy is not a tunnel.
            let mayReuse = transfer.resends.count == 0 && !transfer.parameters.isRaw && !transfer.wire.route.isTunnel
            while mayReuse, let connection = wire.idle.take(host) {
                guard wire.isYoung(connection, shared.now), connection.isClean else {
                    close(connection)
                    continue
                }
                return begin(transfer, connection)
            }
            guard transfer.parameters.mayShare, host.expectsHTTP2, host.connecting > 0 else {
                return connect(for: transfer)
            }
            transfer.carrier = .awaiting
            host.awaitingConnection.append(transfer)
            check(at: MonotonicTime.after(host.lastConnectStart, CurlLoop.handshakeTimeout))
        }

        private func connect(for transfer: Transfer) {
            // Kept connections count: the one that has been idle longest makes room.
            while limiter.running + wire.idle.count > wire.total, let oldest = wire.oldestIdle {
                wire.idle.remove(oldest)
                close(oldest)
            }
            guard let connector = wire.takeConnector() else {
                limiter.release(transfer)
                return conclude(transfer, CurlFailure.outOfMemory)
            }
            connector.prepare(transfer, now: max(shared.now, transfer.startedAt))
            check(at: MonotonicTime.after(shared.now, transfer.parameters.limits.shortest))
            transfer.carrier = .connecting(connector)
            if transfer.parameters.mayShare, let host = transfer.host {
                host.connecting += 1
                host.lastConnectStart = shared.now
            }
            guard add(connector, isEncrypted: transfer.wire.isEncrypted(to: transfer.parameters.destination)) else {
                giveUp(transfer, connector, hasFailed: true)
                return conclude(transfer, CurlFailure.outOfMemory)
            }
        }

        /// How long transfers wait for a connection that is being made before one of them makes another, in nanoseconds.
        static let handshakeTimeout: Int64 = 1_000_000_000

        func startAwaiting(_ host: ConnectionLimiter.Host) {
            guard !host.awaitingConnection.isEmpty else { return }
            let transfers = host.awaitingConnection
            host.awaitingConnection = []
            for transfer in transfers { startOnWire(transfer) }
        }

        func connectIfOverdue(_ host: ConnectionLimiter.Host, _ now: Int64) {
            guard !host.awaitingConnection.isEmpty else { return }
            if now >= MonotonicTime.after(host.lastConnectStart, CurlLoop.handshakeTimeout) {
                connect(for: host.awaitingConnection.removeFirst())
                host.lastConnectStart = now
            }
            check(at: MonotonicTime.after(host.lastConnectStart, CurlLoop.handshakeTimeout))
        }

        /// Lets libcurl make a connection; a TLS connection stays in its multi handle, so each holds only a few.
        private func add(_ connector: Connector, isEncrypted: Bool) -> Bool {
            let multis = shared.sockets.multis
            let others = multis.dropFirst()
            var multi = isEncrypted ? others.first { $0.connectors < MultiHandle.room } : multis.first
            if multi == nil, multis.count < Int(UInt16.max) {
                multi = MultiHandle(number: multis.count, sockets: shared.sockets, connections: MultiHandle.room)
                if let multi { shared.sockets.multis.append(multi) }
            }
            guard let multi, cnc_multi_add(multi.pointer, connector.easy) == CNCE_OK else { return false }
            multi.connectors += 1
            connector.multi = multi
            return true
        }

        private func remove(_ connector: Connector) {
            guard let multi = connector.multi else { return }
            cnc_multi_remove(multi.pointer, connector.easy)
            multi.connectors -= 1
            connector.multi = nil
        }

        func connected(_ number: Int, _ result: Int) {
            guard let connector = wire.connector(number), let transfer = connector.transfer, let host = transfer.host
            else { return }
            let socket = cnc_easy_socket(connector.easy)
            guard result == CNCE_OK, socket >= 0 else {
                let failure = CurlFailure.error(for: result, transfer, connector)
                host.expectsHTTP2 = false
                giveUp(transfer, connector, hasFailed: true)
                conclude(transfer, failure)
                return startAwaiting(host)
            }
            shared.endAttempt(connector.number, keeping: socket)
            let isSecure = transfer.parameters.destination.isSecure
            connector.setup.pointee.times = CurlLibrary.times(of: connector.easy, isSecure: isSecure)
            connector.transfer = nil
            shared.connectionsCreated += 1
            if isSecure { shared.handshakes += 1 }
            let connection = makeConnection(transfer, connector, socket, host)
            if transfer.parameters.mayShare {
                host.connecting -= 1
                host.expectsHTTP2 = connection.streams != nil
            }
            guard let streams = connection.streams else {
                begin(transfer, connection)
                return startAwaiting(host)
            }
            cnc_socket_limit_silence(socket, CurlLoop.silence * 4 / 1_000_000)
            host.http2.append(connection)
            begin(transfer, on: connection, streams)
            // Bytes that TLS has already read do not make the socket readable.
            shared.sockets.ready.append((socket, canSend: false, canReceive: true))
            startAwaiting(host)
            // At once: libcurl 7.88 may close a connection on which nothing was sent when the next one is added.
            flush(connection, streams)
        }

        private func makeConnection(
            _ transfer: Transfer,
            _ connector: Connector,
            _ socket: Int32,
            _ host: ConnectionLimiter.Host
        ) -> WireConnection {
            let setup = connector.setup.pointee
            let staysWithHandle = transfer.wire.isEncrypted(to: transfer.parameters.destination)
            if !staysWithHandle {
                // libcurl then keeps no state for it, so libcurl's memory does not grow with the number of connections.
                shared.sockets.keep(socket) { remove(connector) }
                wire.recycle(connector)
            }
            let isHTTP2 = setup.isHTTP2 || options.speaksHTTP2AtOnce && transfer.parameters.mayShare
            let connection = WireConnection(
                number: UInt32(truncatingIfNeeded: shared.connectionsCreated),
                socket: socket,
                connector: staysWithHandle ? connector : nil,
                setup: setup,
                host: host,
                streams: isHTTP2 ? HTTP2Streams(now: shared.now) : nil
            )
            wire.add(connection)
            shared.sockets.adopt(socket)
            return connection
        }

        func giveUp(_ transfer: Transfer, _ connector: Connector, hasFailed: Bool = false) {
            transfer.upload.stop()
            transfer.carrier = .none
            let host = transfer.host
            limiter.release(transfer)
            guard transfer.parameters.mayShare, let host else { return drop(connector) }
            guard !hasFailed, !host.awaitingConnection.isEmpty else {
                host.connecting -= 1
                return drop(connector)
            }
            let next = host.awaitingConnection.removeFirst()
            (connector.transfer, next.carrier) = (next, .connecting(connector))
        }

        private func drop(_ connector: Connector) {
            remove(connector)
            shared.endAttempt(connector.number)
            connector.transfer = nil
            wire.recycle(connector)
        }

        /// Records the head that is sent, and resets the monitor, if the request asks for them.
        func noteStart(_ transfer: Transfer) {
            if transfer.parameters.reportsSentHeaders {
                transfer.outcome.sentHead.removeAll()
                _ = transfer.outcome.sentHead.append(transfer.wire.head)
            }
            transfer.reportStart()
        }

        private func begin(_ transfer: Transfer, _ connection: WireConnection) {
            let exchange = connection.exchange ?? WireExchange(connection)
            connection.exchange = exchange
            exchange.begin(transfer, now: shared.now)
            if transfer.parameters.isRaw { return handOver(transfer, exchange) }
            noteStart(transfer)
            write(transfer, exchange)
        }

        /// Sends again, on another connection if the present one was dead or its server had given it up.
        func resendIfPossible(_ transfer: Transfer, _ exchange: WireExchange) -> Bool {
            let evidence = exchange.sending.progress.evidence
            // A refused stream costs the server nothing, and says nothing about the connection.
            let isRefused = exchange.connection.streams != nil && exchange.sending.progress == .refused
            guard isRefused || !exchange.isNew, transfer.resends.count < (isRefused ? 5 : 1),
                transfer.parameters.mayRepeat(evidence),
                exchange.sending.sent == 0 || transfer.upload.rewind()
            else { return false }
            transfer.resends.count += 1
            if evidence == .possiblyProcessed { transfer.resends.mayHaveBeenProcessed = true }
            swap(&transfer.outcome.body, &exchange.receiving.content.bytes)
            transfer.outcome.head.removeAll()
            transfer.outcome.body.removeAll()
            transfer.outcome.interim.removeAll()
            detach(transfer, exchange)
            if exchange.connection.streams == nil { close(exchange.connection) }
            startOnWire(transfer)
            return true
        }

        func leave(_ transfer: Transfer, _ exchange: WireExchange, keeps: Bool) {
            let connection = exchange.connection
            detach(transfer, exchange)
            transfer.upload.stop()
            if let streams = connection.streams {
                if transfer.wire.closes { retire(connection, streams) }
            } else if keeps, !transfer.wire.route.isTunnel, wire.isYoung(connection, shared.now) {
                // In a kept tunnel, the next request's fields for the proxy would reach the server.
                let limit = connection.keepAlive.idleLimit(idleLifetime)
                wire.idle.append(connection, until: shared.now.saturatingAdd(limit))
            } else {
                close(connection)
            }
            // Last, because a host without a connection may be forgotten.
            limiter.release(transfer)
        }

        private func detach(_ transfer: Transfer, _ exchange: WireExchange) {
            exchange.transfer = nil
            transfer.carrier = .none
            if transfer.isUpgraded { failPendingWrites(transfer, exchange) }
            exchange.sending.piece.free()
            exchange.receiving.free()
            guard let streams = exchange.connection.streams, exchange.stream != 0 else { return }
            let isOver = exchange.receiving.isEnded && exchange.sending.isDone && !exchange.sending.isRefused
            end(exchange, streams, isOver: isOver)
            if isOver, !transfer.isUpgraded, streams.spare.count < 64 { streams.spare.append(exchange) }
        }

        private func end(_ exchange: WireExchange, _ streams: HTTP2Streams, isOver: Bool) {
            if !isOver { streams.session.reset(exchange.stream) }
            streams.remove(exchange)
            scheduleFlush(exchange.connection, streams)
            guard streams.exchanges.isEmpty, !streams.isRetired else { return }
            // A connection on which the server has sent nothing, not even its settings, is not kept.
            if !streams.hasReceived { return retire(exchange.connection, streams) }
            wire.idle.append(exchange.connection, until: shared.now.saturatingAdd(idleLifetime))
        }

        func close(_ connection: WireConnection) {
            wire.remove(connection)
            // They retain each other.
            connection.exchange = nil
            if let streams = connection.streams {
                streams.spare = []
                connection.host.http2.removeAll { $0 === connection }
            }
            if let connector = connection.connector {
                remove(connector)
                wire.recycle(connector)
            } else {
                shared.sockets.close(connection.socket)
            }
            limiter.dropIfUnused(connection.host)
        }

        func closeIdleWire(_ now: Int64) -> Int64 {
            guard now >= wire.idle.nextEnd else { return wire.idle.nextEnd }
            for connection in wire.idle.takeEnded(now, of: wire.all) { close(connection) }
            return wire.idle.nextEnd
        }

        func closeWire() {
            for connection in wire.all {
                // A host and its idle connections retain each other, and through them the parts of the loop.
                wire.idle.remove(connection)
                close(connection)
            }
        }

        func noteHTTP3(of transfer: Transfer, _ handle: EasyHandle) {
            guard let hasHTTP3 = handle.link.hasHTTP3 else { return }
            transfer.parameters.http3?.note(hasHTTP3, of: transfer.parameters.destination.key, now: shared.now)
            handle.link.hasHTTP3 = nil
        }
    }
#endif
