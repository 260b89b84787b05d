#if os(Linux)
    import CoreNetKitSystem

    /// Which exchanges run: limits per host and in total, first come first served, hosts in turn.
    struct ConnectionLimiter: ~Copyable {
        final class Host {
            let key: String
            /// HTTP/2 connections that accept new streams.
            @exclusivity(unchecked) var http2: [WireConnection] = []
            /// The number of connections being opened that may turn out to be HTTP/2.
            @exclusivity(unchecked) var connecting = 0
            @exclusivity(unchecked) var lastConnectStart: Int64 = 0
            /// Whether to wait for a connection being opened: the latest one was HTTP/2, or there was none yet.
            @exclusivity(unchecked) var expectsHTTP2 = true
            @exclusivity(unchecked) var awaitingConnection: [Transfer] = []
            @exclusivity(unchecked) var running = 0
            /// Connections without an exchange, the most recently used one last.
            @exclusivity(unchecked) var idle: [WireConnection] = []
            @exclusivity(unchecked) var hasTurn = false
            /// In order of arrival; entries before `first` and withdrawn ones are skipped.
            @exclusivity(unchecked) private var queue: [Transfer] = []
            @exclusivity(unchecked) private var first = 0
            @exclusivity(unchecked) private var withdrawn = 0

            init(key: String) { self.key = key }

            var hasWaitingTransfers: Bool { queue.count - first > withdrawn }
            var waiting: some Sequence<Transfer> { queue[first...].lazy.filter { $0.host != nil } }

            func append(_ transfer: Transfer) { queue.append(transfer) }

            func popFirst() -> Transfer? {
                while first < queue.count {
                    let transfer = queue[first]
                    first += 1
                    if transfer.host != nil {
                        compactIfSparse()
                        return transfer
                    }
                    withdrawn -= 1
                }
                compactIfSparse()
                return nil
            }

            /// Thousands may be cancelled at once: each is only marked, and all are removed together.
            func withdraw(_ transfer: Transfer) {
                transfer.host = nil
                withdrawn += 1
                compactIfSparse()
            }

            private func compactIfSparse() {
                guard first + withdrawn > queue.count / 2 else { return }
                queue = queue[first...].filter { $0.host != nil }
                (first, withdrawn) = (0, 0)
            }
        }

        let perHost: Int
        let total: Int
        private(set) var running = 0
        private(set) var waiting = 0
        private var hosts: [String: Host] = [:]
        private var lastHost: Host?
        /// Hosts with waiting transfers and a free place, in the order of their turns; some entries may be out of date.
        private var turns = Fifo<Host>()

        private let waitingLimit: Int?

        init(perHost: Int, total: Int, waitingLimit: Int?) {
            self.waitingLimit = waitingLimit.map { max(0, $0) }
            self.perHost = max(1, perHost)
            self.total = max(1, total)
        }

        var awaitingHosts: [Host] { running == 0 ? [] : hosts.values.filter { !$0.awaitingConnection.isEmpty } }

        var waitingHosts: [Host] { waiting == 0 ? [] : hosts.values.filter(\.hasWaitingTransfers) }

        func hasRoom(for transfer: Transfer) -> Bool {
            guard let waitingLimit, waiting >= waitingLimit else { return true }
            guard running < total else { return false }
            return hosts[transfer.parameters.destination.key].map { $0.running < perHost && !$0.hasWaitingTransfers }
                ?? true
        }

        mutating func admit(_ transfer: Transfer) -> Bool {
            let host = host(for: transfer.parameters.destination.key)
            transfer.host = host
            if running < total, host.running < perHost, !host.hasWaitingTransfers {
                start(host)
                return true
            }
            host.append(transfer)
            waiting += 1
            scheduleTurn(host)
            return false
        }

        func hasOpenConnection(for transfer: Transfer) -> Bool {
            guard waiting == 0, running < total else { return false }
            let key = transfer.parameters.destination.key
            guard let host = lastHost?.key == key ? lastHost : hosts[key] else { return false }
            return host.running < perHost && !(host.idle.isEmpty && host.http2.isEmpty)
        }

        mutating func release(_ transfer: Transfer) {
            guard let host = transfer.host else { return }
            transfer.host = nil
            host.running -= 1
            running -= 1
            scheduleTurn(host)
            dropIfUnused(host)
        }

        mutating func next() -> Transfer? {
            while running < total, let host = turns.popFirst() {
                host.hasTurn = false
                guard host.running < perHost, let transfer = host.popFirst() else { continue }
                waiting -= 1
                start(host)
                scheduleTurn(host)
                return transfer
            }
            return nil
        }

        mutating func withdraw(_ transfer: Transfer) {
            guard let host = transfer.host else { return }
            waiting -= 1
            host.withdraw(transfer)
            dropIfUnused(host)
        }

        private mutating func scheduleTurn(_ host: Host) {
            guard !host.hasTurn, host.hasWaitingTransfers, host.running < perHost else { return }
            host.hasTurn = true
            turns.append(host)
        }

        private mutating func start(_ host: Host) {
            host.running += 1
            running += 1
        }

        private mutating func host(for key: String) -> Host {
            // Most exchanges go to the same host as the one before.
            if let lastHost, lastHost.key == key { return lastHost }
            let host = hosts[key] ?? Host(key: key)
            hosts[key] = host
            lastHost = host
            return host
        }

        /// Drops an unused host if there are many, because a crawler visits hosts without limit.
        mutating func dropIfUnused(_ host: Host) {
            guard hosts.count > 256, host.running == 0, !host.hasWaitingTransfers, host.idle.isEmpty,
                host.http2.isEmpty,
                host.connecting == 0, hosts[host.key] === host
            else { return }
            hosts[host.key] = nil
            if lastHost === host { lastHost = nil }
        }
    }
#endif
