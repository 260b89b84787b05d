#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire

    /// Which servers are asked for HTTP/3: those that have offered it, or all of them, except those where it failed:
    /// there it is tried again after 5 minutes, 10, 20 and so on up to a day.
    ///
    /// May be used from any thread.
    final class HTTP3Origins: Sendable {
        private struct Entry {
            var offeredUntil: Int64 = 0
            var brokenUntil: Int64 = 0
            var failures = 0
        }

        private static let second: Int64 = 1_000_000_000
        private static let firstPause = 300 * second
        private static let longestPause = 86_400 * second
        private static let limit = 4_096

        /// Whether all servers are asked that were not found broken, with or without an offer.
        private let asksAll: Bool
        private let entries = Locked<[String: Entry]>([:])

        /// - Returns: `nil` if no server is asked: the setting excludes it, the library cannot, or QUIC has no route.
        init?(_ configuration: CurlTransport.Configuration, isPossible: Bool) {
            guard isPossible, configuration.unixSocket == nil, !configuration.mayUseProxy else { return nil }
            switch configuration.httpVersion {
            case .http3: asksAll = true
            case .preferHTTP3: asksAll = false
            case .automatic, .http1, .http2PriorKnowledge: return nil
            }
        }

        /// Whether the next connection to a server, given its destination key, should try HTTP/3.
        func asks(_ key: String, now: Int64) -> Bool {
            entries.withLock { entries in
                guard let entry = entries[key] else { return asksAll }
                return now >= entry.brokenUntil && (asksAll || now < entry.offeredUntil)
            }
        }

        func note(_ offer: HTTP3Offer, of key: String, now: Int64) {
            change(key, now) { entry in
                switch offer {
                case .offered(let seconds): entry.offeredUntil = now + seconds * Self.second
                case .withdrawn: entry.offeredUntil = 0
                }
            }
        }

        func note(_ hasWon: Bool, of key: String, now: Int64) {
            change(key, now) { entry in
                guard !hasWon else { return (entry.failures, entry.brokenUntil) = (0, 0) }
                // Several attempts may have been under way when the first one failed.
                guard now >= entry.brokenUntil else { return }
                let pause = Self.firstPause << Int64(min(entry.failures, 16))
                entry.failures += 1
                entry.brokenUntil = now + min(pause, Self.longestPause)
            }
        }

        private func change(_ key: String, _ now: Int64, _ body: (inout Entry) -> Void) {
            entries.withLock { entries in
                if entries.count >= Self.limit {
                    entries = entries.filter { $0.value.offeredUntil > now || $0.value.brokenUntil > now }
                }
                if entries.count >= Self.limit { entries.removeAll() }
                var entry = entries[key] ?? Entry()
                body(&entry)
                let isNothing = entry.offeredUntil <= now && entry.failures == 0
                entries[key] = isNothing ? nil : entry
            }
        }
    }
#endif
