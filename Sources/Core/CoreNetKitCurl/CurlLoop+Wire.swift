#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    // The life of our own connections: made by libcurl, used by one exchange after another, kept, closed.
    extension CurlLoop {
        /// Sends on a kept connection on which nothing has arrived meanwhile, otherwise on a new one.
        func startOnWire(_ transfer: Transfer) {
            guard let host = transfer.host else { return }
            // A kept connection to a proxy is no tunnel.
            let mayReuse = !transfer.hasRetried && !transfer.isRaw && !transfer.wire.lane.isTunnel
            while mayReuse, let connection = wire.idle.take(host) {
                guard wire.isYoung(connection, shared.now), connection.isClean else {
                    close(connection)
                    continue
                }
                connection.isNew = false
                return begin(transfer, connection)
            }
            connect(for: transfer)
        }

        private func connect(for transfer: Transfer) {
            // Kept connections count: the one that has been idle longest makes room.
            while limiter.running + wire.idle.count > wire.total, let oldest = wire.idle.oldest() {
                wire.idle.remove(oldest)
                close(oldest)
            }
            guard let connector = wire.takeConnector(origin) else {
                release(transfer)
                return conclude(transfer, CurlFailure.outOfMemory)
            }
            connector.prepare(transfer, now: max(shared.now, transfer.startedAt))
            nextDeadline = min(nextDeadline, MonotonicTime.after(shared.now, transfer.limits.shortest))
            transfer.place = .connecting(connector)
            guard add(connector, isEncrypted: transfer.wire.isEncrypted(to: transfer.destination)) else {
                giveUp(transfer, connector)
                return conclude(transfer, CurlFailure.outOfMemory)
            }
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

        /// libcurl has made a connection, or has failed to.
        func connected(_ number: Int, _ result: Int) {
            guard let connector = wire.connector(number), let transfer = connector.transfer, let host = transfer.host
            else {
                return
            }
            let socket = cnc_easy_socket(connector.easy)
            guard result == CNCE_OK, socket >= 0 else {
                let failure = CurlFailure.error(for: result, transfer, connector)
                if transfer.destination.isSecure { spoken.note(nil, of: transfer.destination.key, now: shared.now) }
                giveUp(transfer, connector)
                return conclude(transfer, failure)
            }
            shared.settle(connector.number, keeping: socket)
            connector.note()
            connector.transfer = nil
            shared.made += 1
            if transfer.destination.isSecure { shared.handshakes += 1 }
            let opening = connector.opening.pointee
            let staysWithHandle = transfer.wire.isEncrypted(to: transfer.destination)
            if !staysWithHandle {
                // Then libcurl keeps nothing for the connection, and nothing grows with the number of connections.
                shared.sockets.keep(socket) { remove(connector) }
                wire.recycle(connector)
            }
            let connection = WireConnection(
                number: shared.connections.nextNumber(),
                socket: socket,
                connector: staysWithHandle ? connector : nil,
                opening: opening,
                host: host
            )
            wire.add(connection)
            shared.sockets.adopt(socket)
            begin(transfer, connection)
        }

        /// Gives up making a connection.
        func giveUp(_ transfer: Transfer, _ connector: Connector) {
            remove(connector)
            shared.settle(connector.number)
            connector.transfer = nil
            wire.recycle(connector)
            transfer.upload.stop()
            transfer.place = .none
            release(transfer)
        }

        private func begin(_ transfer: Transfer, _ connection: WireConnection) {
            connection.begin(transfer, now: shared.now)
            if transfer.isRaw { return handOver(transfer, connection) }
            let block = transfer.wire.block
            if transfer.reportsSentHeaders {
                transfer.sentHead.removeAll()
                if let base = block.head.baseAddress { _ = transfer.sentHead.append(base, count: block.headCount) }
            }
            if let monitor = transfer.monitor {
                let (count, isSent) = (transfer.bodyCount, transfer.wire.verb != .upload)
                monitor.update { state in
                    state = ExchangeMonitor.State()
                    state.bytesToSend = count < 0 ? nil : count
                    if isSent { state.bytesSent = max(0, count) }
                }
            }
            write(transfer, connection)
        }

        /// Sends again on a new connection if the kept one was dead or its server had given it up.
        ///
        /// - Returns: Whether it does.
        func repeats(_ transfer: Transfer, _ connection: WireConnection) -> Bool {
            let evidence = connection.sending.progress.evidence
            guard !connection.isNew, !transfer.hasRetried,
                evidence == .unseen ? transfer.mayRepeatUnseen : transfer.mayRepeatSeen,
                connection.sending.sent == 0 || transfer.upload.rewind()
            else { return false }
            transfer.hasRetried = true
            if evidence == .perhapsSeen { transfer.wasPerhapsSeen = true }
            swap(&transfer.body, &connection.receiving.content.bytes)
            transfer.head.removeAll()
            transfer.body.removeAll()
            detach(transfer, connection)
            close(connection)
            connect(for: transfer)
            return true
        }

        /// Detaches a transfer from its connection, which is kept for another one or closed.
        func leave(_ transfer: Transfer, _ connection: WireConnection, keeps: Bool) {
            detach(transfer, connection)
            transfer.upload.stop()
            // The next request to the host would tell its server what is for the proxy.
            if keeps, !transfer.wire.lane.isTunnel, wire.isYoung(connection, shared.now) {
                let limit = connection.keepAlive.idleLimit(idleLifetime)
                wire.idle.append(connection, until: shared.now.saturatingAdd(limit))
            } else {
                close(connection)
            }
            // Afterwards: a host without a connection may be forgotten.
            release(transfer)
        }

        private func detach(_ transfer: Transfer, _ connection: WireConnection) {
            connection.transfer = nil
            transfer.place = .none
            if transfer.isSwitched { letGo(transfer, connection) }
            connection.sending.piece.free()
            connection.receiving.free()
        }

        /// Closes a connection that no exchange uses and that is not to be kept.
        func close(_ connection: WireConnection) {
            wire.remove(connection)
            if let connector = connection.connector {
                remove(connector)
                wire.recycle(connector)
            } else {
                shared.close(connection.socket)
            }
            limiter.forget(connection.host)
        }

        /// Closes connections that have been kept too long.
        ///
        /// - Returns: When to check again.
        func closeIdleWire(_ now: Int64) -> Int64 {
            for connection in wire.idle.takeEnded(now) { close(connection) }
            return wire.idle.nextEnd
        }

        /// Closes all connections at the end of the thread.
        func closeWire() {
            // A host and its idle connections hold each other, and with them what the loop is made of.
            wire.idle.removeAll()
            for connection in wire.all { close(connection) }
        }

        /// Notes what was learned about the server of an exchange.
        func learn(of transfer: Transfer, _ handle: EasyHandle) {
            if let hasHTTP3 = handle.state.pointee.link.hasHTTP3 {
                transfer.http3?.note(hasHTTP3, of: transfer.destination.key, now: shared.now)
                // Only once, because it may be called again.
                handle.state.pointee.terms.noteHTTP3()
                handle.state.pointee.link.hasHTTP3 = nil
            }
            if let version = handle.state.pointee.link.spoken { learn(version, of: transfer) }
        }

        /// Notes which version a server speaks; transfers that wait for that may go on.
        private func learn(_ version: SpokenVersion, of transfer: Transfer) {
            spoken.note(version, of: transfer.destination.key, now: shared.now)
            if let host = transfer.host, host.isProbed { limiter.widen(host) }
        }
    }
#endif
