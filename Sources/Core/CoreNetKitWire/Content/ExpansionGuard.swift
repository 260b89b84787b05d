import CoreNetKitHTTP

/// The guard against content that is small on the wire and huge in memory.
package struct ExpansionGuard: Sendable {
    /// The first MiB is free.
    package static let free: Int64 = 1 << 20

    /// The limits.
    package struct Limits: Sendable {
        let ratio: Int64
        let total: Int64

        /// - Parameters:
        ///   - ratio: The maximum number of bytes that one byte from the wire may become, at least 1.
        ///   - total: The maximum number of bytes in total.
        package init(ratio: Int, total: Int64) {
            self.ratio = Int64(max(1, ratio))
            self.total = max(0, total)
        }
    }

    private let limits: Limits

    package init(_ limits: Limits) { self.limits = limits }

    /// Whether this much content is too much for this many bytes from the wire; `nil` if the ratio does not count,
    /// because the content has another limit.
    package func refuses(_ content: Int64, from wire: Int64?) -> Bool {
        if content > limits.total { return true }
        guard let wire, content > ExpansionGuard.free else { return false }
        return content > wire.saturatingMultiply(limits.ratio)
    }
}
