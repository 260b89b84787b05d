#if os(Linux)
    import CoreNetKitHTTP
    /// Decides which exchanges run and which wait: limits per host and in all, first come first served, hosts in turn.
    ///
    /// libcurl has such limits too, but there the wait could neither be seen nor be limited.
    struct ConnectionLimiter {
        final class Host {
            let key: String
            var running = 0
            /// In their order; those before `first`, and those that have withdrawn, are not waiting any more.
            private var queue: [Transfer] = []
            private var first = 0
            private var withdrawn = 0

            init(key: String) { self.key = key }

            var isAwaited: Bool { queue.count - first > withdrawn }
            var waiting: some Sequence<Transfer> { queue[first...].lazy.filter { $0.host != nil } }

            func append(_ transfer: Transfer) { queue.append(transfer) }

            func popFirst() -> Transfer? {
                while first < queue.count {
                    let transfer = queue[first]
                    first += 1
                    if transfer.host != nil {
                        tidyUp()
                        return transfer
                    }
                    withdrawn -= 1
                }
                tidyUp()
                return nil
            }

            /// Thousands may be cancelled at once: each is only marked, and all are taken out together.
            func withdraw(_ transfer: Transfer) {
                transfer.host = nil
                withdrawn += 1
                tidyUp()
            }

            private func tidyUp() {
                guard first + withdrawn > queue.count / 2 else { return }
                queue = queue[first...].filter { $0.host != nil }
                (first, withdrawn) = (0, 0)
            }
        }

        let perHost: Int
        let total: Int
        private(set) var running = 0
        private var hosts: [String: Host] = [:]
        /// Hosts somebody waits for, in the order of their turns.
        private(set) var waitingHosts: [Host] = []

        init(perHost: Int, total: Int) {
            self.perHost = max(1, perHost)
            self.total = max(1, total)
        }

        /// Whether the transfer may run now; else it waits.
        mutating func admit(_ transfer: Transfer) -> Bool {
            let host = host(for: transfer.destination.key)
            transfer.host = host
            if running < total, host.running < perHost, !host.isAwaited {
                start(host)
                return true
            }
            if !host.isAwaited { waitingHosts.append(host) }
            host.append(transfer)
            return false
        }

        /// Gives a place back.
        mutating func release(_ transfer: Transfer) {
            guard let host = transfer.host else { return }
            transfer.host = nil
            host.running -= 1
            running -= 1
        }

        /// The next transfer that may run now.
        mutating func next() -> Transfer? {
            guard running < total, let turn = waitingHosts.firstIndex(where: { $0.running < perHost }) else {
                return nil
            }
            let host = waitingHosts.remove(at: turn)
            guard let transfer = host.popFirst() else { return next() }
            if host.isAwaited { waitingHosts.append(host) }
            start(host)
            return transfer
        }

        /// Takes a transfer out that still waits.
        mutating func withdraw(_ transfer: Transfer) {
            guard let host = transfer.host else { return }
            host.withdraw(transfer)
            if !host.isAwaited { waitingHosts.removeAll { $0 === host } }
        }

        private mutating func start(_ host: Host) {
            host.running += 1
            running += 1
        }

        private mutating func host(for key: String) -> Host {
            if let host = hosts[key] { return host }
            // A crawler sees hosts without end: forget those nobody uses.
            if hosts.count >= 1024 { hosts = hosts.filter { $0.value.running > 0 || $0.value.isAwaited } }
            let host = Host(key: key)
            hosts[key] = host
            return host
        }
    }
#endif
