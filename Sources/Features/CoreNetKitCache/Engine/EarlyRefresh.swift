import CoreNetKitChain
import CoreNetKitEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// When a response that is fresh is validated all the same, so that those who come at its end do not all wait.
///
/// Each hit draws a number: with the time that the server took, a factor and a logarithm it is a time ahead of the end, which is
/// exponentially distributed. Many hits are likely to begin early, few to begin late, and no process has to know of another.
/// - SeeAlso: Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention (VLDB 2015)
package struct EarlyRefresh: Sendable {
    private let factor: Double
    private let draw: @Sendable () -> Double

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - factor: How early, as a multiple of the time that the server took; zero, and what makes no sense, is never.
    ///   - draw: Gives numbers of 0..<1, evenly spread.
    package init(_ factor: Double, draw: @escaping @Sendable () -> Double) {
        self.factor = factor > 0 && factor.isFinite ? factor : 0
        self.draw = draw
    }

    /// Creates a rule with numbers of its own.
    package init(_ factor: Double) {
        let jitter = Jitter(seed: nil)
        self.init(factor) { jitter.next() }
    }

    /// Whether anything is ever validated early.
    package var isOn: Bool { factor > 0 }

    /// Whether what a look-up found is to be validated now.
    package func isDue(_ finding: CacheFinding) -> Bool {
        guard case .use = finding.decision.action, let variant = finding.used,
            !(variant.facts.control.immutable && finding.key.isSecure), let age = finding.decision.age,
            let lifetime = finding.decision.lifetime
        else { return false }
        let took = max(variant.received.elapsed(since: variant.requested) ?? 0, 1)
        return isDue(left: lifetime - age, took: took)
    }

    /// Whether a number that is drawn now reaches the end.
    ///
    /// - Parameters:
    ///   - left: How long it stays fresh, in milliseconds.
    ///   - took: How long the server took, in milliseconds.
    /// - Returns: Whether a validation is to begin.
    package func isDue(left: Int64, took: Int64) -> Bool {
        -Double(took) * factor * log(1 - draw()) >= Double(left)
    }
}
