import CoreNetKitSystem

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

    /// Takes tokens, all or none; the bucket and the number must have been checked.
    ///
    /// - Parameters:
    ///   - tokens: The number of tokens.
    ///   - bucket: The bucket.
    ///   - now: The time in microseconds of the store's clock.
    /// - Returns: The result; a refusal changes nothing.
    package mutating func take(_ tokens: Int, of bucket: SharedBucket, at now: Int64) -> SharedGrant {
        let (rate, period) = (Int64(bucket.tokens), bucket.period.wholeMicroseconds)
        let isFull = fullAt < now
        let owed = Int64(tokens) * period + (isFull ? 0 : remainder % rate)
        let next = (isFull ? now : fullAt) + owed / rate
        let room = Int64(bucket.burst) * period / rate
        let wait = next - room - now
        guard wait <= bucket.longestWait.wholeMicroseconds else { return .refused(for: .microseconds(wait)) }
        (fullAt, remainder) = (next, owed % rate)
        return .granted(after: .microseconds(max(0, wait)))
    }
}
