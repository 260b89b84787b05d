import CoreNetKitChain
import CoreNetKitEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// When a fresh response is validated early, so that callers do not all wait at its end (XFetch).
///
/// Each hit draws a number: its logarithm, multiplied by the server's response time and a factor, is an exponentially
/// distributed lead time. Many hits make an early validation likely, few a late one; processes need no coordination.
/// - SeeAlso: Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention (VLDB 2015)
package struct EarlyRefresh: Sendable {
    private let factor: Double
    private let draw: @Sendable () -> Double

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - factor: How early, as a multiple of the server's response time; zero or an invalid value means never.
    ///   - draw: Returns uniformly distributed numbers in 0..<1.
    package init(_ factor: Double, draw: @escaping @Sendable () -> Double) {
        self.factor = factor > 0 && factor.isFinite ? factor : 0
        self.draw = draw
    }

    /// Creates a rule with a generator of its own.
    package init(_ factor: Double) {
        let jitter = Jitter(seed: nil)
        self.init(factor) { jitter.next() }
    }

    /// Whether anything is ever validated early.
    package var isOn: Bool { factor > 0 }

    /// Whether a found response is to be validated now.
    package func isDue(_ finding: CacheFinding) -> Bool {
        guard case .use = finding.decision.action, let variant = finding.used,
            !(variant.facts.control.immutable && finding.key.isSecure), let age = finding.decision.age,
            let lifetime = finding.decision.lifetime
        else { return false }
        let took = max(variant.received.elapsed(since: variant.requested) ?? 0, 1)
        return isDue(left: lifetime - age, took: took)
    }

    /// Whether the lead time of a draw reaches the end of freshness.
    ///
    /// - Parameters:
    ///   - left: The remaining freshness, in milliseconds.
    ///   - took: The server's response time, in milliseconds.
    /// - Returns: Whether to start a validation.
    package func isDue(left: Int64, took: Int64) -> Bool {
        -Double(took) * factor * log(1 - draw()) >= Double(left)
    }
}
