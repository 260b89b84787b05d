#if os(Linux)
    /// Decides which exchanges run and which wait: limits per host and in all, first come first served, hosts in turn.
    ///
    /// libcurl has such limits too, but there the wait could neither be seen nor be limited.
    struct ConnectionLimiter {
        final class Host {
            let key: String
            var running = 0
            var waiting: [Transfer] = []

            init(key: String) { self.key = key }
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
            if running < total, host.running < perHost, host.waiting.isEmpty {
                start(host)
                return true
            }
            if host.waiting.isEmpty { waitingHosts.append(host) }
            host.waiting.append(transfer)
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
            let transfer = host.waiting.removeFirst()
            if !host.waiting.isEmpty { waitingHosts.append(host) }
            start(host)
            return transfer
        }

        /// Takes a transfer out that still waits.
        mutating func withdraw(_ transfer: Transfer) {
            guard let host = transfer.host else { return }
            transfer.host = nil
            host.waiting.removeAll { $0 === transfer }
            if host.waiting.isEmpty { waitingHosts.removeAll { $0 === host } }
        }

        private mutating func start(_ host: Host) {
            host.running += 1
            running += 1
        }

        private mutating func host(for key: String) -> Host {
            if let host = hosts[key] { return host }
            // A crawler sees hosts without end: forget those nobody uses.
            if hosts.count >= 1024 { hosts = hosts.filter { $0.value.running > 0 || !$0.value.waiting.isEmpty } }
            let host = Host(key: key)
            hosts[key] = host
            return host
        }
    }
#endif
