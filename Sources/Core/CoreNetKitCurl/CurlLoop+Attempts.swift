#if os(Linux)
    import CoreNetKitSystem
    import CNetCurl

    // Addresses of one name that are tried beside each other (RFC 8305, 5).
    extension CurlLoop {
        func tryAddresses(_ now: Int64) {
            shared.nextAttemptAt = MonotonicTime.never
            for (number, attempt) in shared.attempts {
                guard now >= attempt.nextAt else {
                    shared.nextAttemptAt = min(shared.nextAttemptAt, attempt.nextAt)
                    continue
                }
                shared.attempts[number]?.nextAt = MonotonicTime.never
                guard let socket = openSocket(of: number), !socketIsConnected(socket) else { continue }
                if attempt.foundAddresses == nil { lookUp(for: number) } else { tryNext(for: number) }
            }
            goOnLookingUp()
        }

        /// The socket that libcurl opened last for a connection, if it is still open.
        private func openSocket(of number: Int) -> Int32? {
            shared.attempts[number]?.sockets.last { shared.sockets.isOpen($0, of: number) }
        }

        /// Lets libcurl say which addresses there are, by the rules of its settings, without connecting to any.
        private func lookUp(for number: Int) {
            let index = number - Connector.firstNumber
            guard let transfer = wire.connector(index)?.transfer, let connector = wire.takeConnector() else { return }
            lookUps = lookUps ?? cnc_multi_init()
            connector.lookUp(transfer, for: number, now: shared.now)
            shared.attempts[number]?.foundAddresses = []
            guard let lookUps, cnc_multi_add(lookUps, connector.easy) == CNCE_OK else { return wire.recycle(connector) }
            lookingUp.append(connector)
        }

        /// Goes on with look-ups: libcurl names one address after the other, as soon as it knows them.
        private func goOnLookingUp() {
            guard let lookUps, !lookingUp.isEmpty else { return }
            for _ in 0..<64 where !lookingUp.isEmpty {
                cnc_multi_perform(lookUps)
                var result = 0
                while let easy = cnc_multi_next_done(lookUps, &result) {
                    guard let place = lookingUp.firstIndex(where: { $0.easy == easy }) else { continue }
                    let connector = lookingUp.remove(at: place)
                    cnc_multi_remove(lookUps, easy)
                    wire.recycle(connector)
                    tryNext(for: connector.lookedUpFor)
                }
            }
            // The name has to be resolved again.
            if !lookingUp.isEmpty { shared.nextAttemptAt = min(shared.nextAttemptAt, shared.now + 10_000_000) }
        }

        func endLookUps() {
            guard let lookUps else { return }
            for connector in lookingUp { cnc_multi_remove(lookUps, connector.easy) }
            lookingUp = []
            cnc_multi_cleanup(lookUps)
            self.lookUps = nil
        }

        private func tryNext(for number: Int) {
            guard let model = openSocket(of: number), !socketIsConnected(model) else { return }
            while let address = shared.attempts[number]?.takeNext() {
                let socket = address.bytes.withUnsafeBytes {
                    cnc_socket_connect_like(model, address.family, $0.baseAddress, UInt32($0.count), options.isBound)
                }
                guard socket >= 0 else { continue }
                shared.attempts[number]?.rivals.append(socket)
                shared.attempts[number]?.nextAt = MonotonicTime.after(shared.now, ConnectAttempt.delay)
                shared.nextAttemptAt = min(shared.nextAttemptAt, MonotonicTime.after(shared.now, ConnectAttempt.delay))
                return shared.sockets.watchRival(socket, of: number)
            }
        }

        func rivalIsReady(_ socket: Int32) {
            let number = shared.sockets.owner(of: socket)
            guard let attempt = shared.attempts[number], attempt.rivals.contains(socket) else { return }
            shared.attempts[number]?.rivals.removeAll { $0 == socket }
            guard let place = openSocket(of: number), !socketIsConnected(place) else {
                return shared.sockets.close(socket)
            }
            if socketIsConnected(socket), shared.sockets.replace(place, by: socket) {
                for rival in attempt.rivals where rival != socket { shared.sockets.close(rival) }
                shared.attempts[number]?.rivals = []
                shared.attempts[number]?.nextAt = MonotonicTime.never
                shared.attempts[number]?.isReplaced = true
            } else {
                shared.sockets.close(socket)
                tryNext(for: number)
            }
        }
    }
#endif
