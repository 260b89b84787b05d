import CoreNetKitSystem

/// A token bucket in the store, filled at a steady rate and shared by all processes.
public struct SharedBucket: Sendable, Hashable {
    /// The key in the store.
    public let key: SharedKey
    /// How many tokens are added in each period, 1...1 000 000.
    public let tokens: Int
    /// The period, 1 ms to a day, counted in whole microseconds.
    public let period: Duration
    /// How many tokens the bucket holds: this many can be taken at once after a pause; 1...100 000.
    public let burst: Int
    /// How long a caller may wait for tokens that are granted in advance, zero to a day; zero grants none.
    public let maximumWait: Duration

    /// Creates a bucket; a store rejects values outside their ranges with ``SharedStoreError/Code/invalid``.
    public init(
        _ key: SharedKey,
        tokens: Int,
        per period: Duration = .seconds(1),
        burst: Int,
        maximumWait: Duration = .zero
    ) {
        (self.key, self.tokens, self.period) = (key, tokens, period)
        (self.burst, self.maximumWait) = (burst, maximumWait)
    }

    /// Rejects values that cannot be counted exactly in 53-bit integers, the limit of a store's scripts, by name.
    package func check(taking taken: Int) throws(SharedStoreError) {
        let day = Duration.seconds(86_400)
        let problem: String? =
            if !(1...1_000_000).contains(tokens) {
                "a bucket's tokens are 1...1 000 000, not \(tokens)"
            } else if period < .milliseconds(1) || period > day {
                "a bucket's period is 1 ms to a day, not \(period)"
            } else if !(1...100_000).contains(burst) {
                "a bucket's burst is 1...100 000, not \(burst)"
            } else if maximumWait < .zero || maximumWait > day {
                "the maximum wait of a bucket is zero to a day, not \(maximumWait)"
            } else if !(1...burst).contains(taken) {
                "1 to \(burst) tokens, the bucket's burst, can be taken at once, not \(taken)"
            } else {
                nil
            }
        if let problem { throw SharedStoreError(.invalid, problem) }
    }
}

/// The result of taking tokens.
public enum SharedGrant: Sendable, Hashable {
    /// The tokens are taken, for use after a wait; zero means at once.
    case granted(after: Duration)
    /// No token was taken; without other callers the tokens would be available after this time.
    case refused(for: Duration)
}

/// The level of a bucket, as the time when it is full again: one number for any rate (generic cell rate algorithm).
///
/// In whole microseconds; each division's remainder is carried over to the next, so that no rate drifts.
package struct BucketLevel: Sendable, Hashable {
    /// When the bucket is full again, in microseconds of the store's clock.
    package private(set) var fullAt: Int64
    /// The fraction of a microsecond beyond that, in units of 1/`tokens` of the bucket.
    package private(set) var remainder: Int64

    /// Creates a level; a new bucket is full.
    package init(fullAt: Int64 = 0, remainder: Int64 = 0) { (self.fullAt, self.remainder) = (fullAt, remainder) }

    /// Takes tokens, all or none, at a time in microseconds of the store's clock; a refusal changes nothing.
    ///
    /// The bucket and the number must have been checked.
    package mutating func take(_ tokens: Int, of bucket: SharedBucket, at now: Int64) -> SharedGrant {
        let (rate, period) = (Int64(bucket.tokens), bucket.period.wholeMicroseconds)
        let isFull = fullAt < now
        let owed = Int64(tokens) * period + (isFull ? 0 : remainder % rate)
        let next = (isFull ? now : fullAt) + owed / rate
        let room = Int64(bucket.burst) * period / rate
        let wait = next - room - now
        guard wait <= bucket.maximumWait.wholeMicroseconds else { return .refused(for: .microseconds(wait)) }
        (fullAt, remainder) = (next, owed % rate)
        return .granted(after: .microseconds(max(0, wait)))
    }
}
