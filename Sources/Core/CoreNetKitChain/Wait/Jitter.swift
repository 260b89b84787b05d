import CoreNetKitHTTP
import CoreNetKitSystem

/// Random numbers for waits, with a seed so that a test can be repeated.
package final class Jitter: Sendable {
    private let generator: Locked<SplitMix64>

    package init(seed: UInt64?) {
        generator = Locked(SplitMix64(seed: seed ?? UInt64.random(in: .min ... .max)))
    }

    /// The next number, uniformly distributed over 0..<1.
    package func next() -> Double {
        generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }
}
