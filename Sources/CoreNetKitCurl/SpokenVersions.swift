#if os(Linux)
    import CoreNetKitSystem

    /// What servers over TLS were found to speak, for ten minutes each.
    ///
    /// Any thread asks, the owner thread notes.
    final class SpokenVersions: Sendable {
        private struct Entry {
            let version: SpokenVersion
            let end: Int64
        }

        /// How long it is trusted, in nanoseconds: servers change what they speak.
        static let lifetime: Int64 = 600_000_000_000
        private static let limit = 4_096

        private let entries = Locked<[String: Entry]>([:])

        /// What a server speaks, by the key of its destination; `nil` where nobody knows, or no longer.
        @Sendable func version(of key: String) -> SpokenVersion? {
            entries.withLock { entries in
                guard !entries.isEmpty, let entry = entries[key] else { return nil }
                guard MonotonicTime.now() < entry.end else {
                    entries[key] = nil
                    return nil
                }
                return entry.version
            }
        }

        /// Whether the server of a transfer whose lane was not certain is known by now to speak a version.
        func isKnown(_ version: SpokenVersion, of transfer: Transfer) -> Bool {
            transfer.isUncertain && self.version(of: transfer.destination.key) == version
        }

        /// A server was found to speak a version, or could not be reached: `nil`.
        func note(_ version: SpokenVersion?, of key: String, now: Int64) {
            entries.withLock { entries in
                if entries.count >= SpokenVersions.limit { entries = entries.filter { $0.value.end > now } }
                if entries.count >= SpokenVersions.limit { entries.removeAll() }
                entries[key] = version.map {
                    Entry(version: $0, end: MonotonicTime.after(now, SpokenVersions.lifetime))
                }
            }
        }
    }
#endif
