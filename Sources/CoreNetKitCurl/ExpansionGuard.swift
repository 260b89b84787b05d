#if os(Linux)
    import CoreNetKitHTTP

    /// The guard against content that is small on the wire and huge in memory.
    struct ExpansionGuard {
        /// The first MiB is free.
        private static let free: Int64 = 1 << 20

        /// What a configuration allows.
        struct Limits {
            let ratio: Int64
            let total: Int64

            init(_ configuration: CurlTransport.Configuration.Decompression) {
                ratio = Int64(max(1, configuration.ratio))
                total = max(0, configuration.limit)
            }
        }

        private var limits: Limits?
        /// Up to here nobody needs to look.
        private var allowed = ExpansionGuard.free

        init() {}

        init(_ limits: Limits) { self.limits = limits }

        /// Whether so much content is too much; `wire` tells how many bytes came over the wire, and is asked seldom.
        mutating func refuses(_ total: Int64, wire: () -> Int64) -> Bool {
            guard let limits else { return false }
            if total > limits.total { return true }
            guard total > allowed else { return false }
            allowed = max(ExpansionGuard.free, wire().saturatingMultiply(limits.ratio))
            return total > allowed
        }
    }
#endif
