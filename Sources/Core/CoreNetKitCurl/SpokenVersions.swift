#if os(Linux)
    import CoreNetKitSystem

    /// What TLS servers were found to speak, remembered for ten minutes each.
    ///
    /// Any thread may read; the owner thread writes.
    final class SpokenVersions: Sendable {
        private struct Entry {
            let version: SpokenVersion
            let end: Int64
        }

        /// How long an entry is trusted, in nanoseconds: servers change what they speak.
        static let lifetime: Int64 = 600_000_000_000
        private static let limit = 4_096

        private let entries = Locked<[String: Entry]>([:])

        /// What a server speaks, given its destination key; `nil` if unknown or expired.
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

        /// Whether the server of a transfer with an uncertain lane is now known to speak a version.
        func isKnown(_ version: SpokenVersion, of transfer: Transfer) -> Bool {
            transfer.isUncertain && self.version(of: transfer.destination.key) == version
        }

        /// Notes that a server speaks a version, or, with `nil`, that it could not be reached.
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
