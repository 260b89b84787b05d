/// The rules of a limit that follows the latency, in seconds, of the calls it admits.
///
/// After each round of calls the limit is multiplied by the ratio of the minimum latency to the present one (the
/// gradient), and gets a buffer of its square root, so that a queue at the server shrinks it and free capacity lets it grow.
/// The minimum is measured anew from time to time, and when the limit has changed a lot: with half of the calls, and with
/// half of those as long as that halves the latency. Only ends of calls change anything. A plain value, like `LimiterState`.
package struct AdaptiveLimit: Sendable {
    /// How a call ended.
    package enum End: Sendable {
        case response
        /// Refused because of load, or not in time.
        case overload
        /// Failed in a way that tells nothing about the load.
        case other
    }

    private struct Round: Sendable {
        let start: Double
        var responses = 0
        var overloads = 0
        var sum = 0.0
        /// The highest number of concurrent calls.
        var peak = 0
    }

    /// A measurement of the minimum latency with fewer calls.
    private struct Probe: Sendable {
        /// The limit before.
        let limit: Double
        /// The latency with twice the calls.
        var above: Double
        /// When it is abandoned if the calls beyond the lower limit have not ended; `nil` once they have.
        var drainEnd: Double?
    }

    /// A latency up to a fifth above the minimum is no queue.
    private static let tolerance = 1.2
    private static let calls = 24
    private static let probeCalls = 40
    /// A latency that falls by this with half of the calls was mostly a queue.
    private static let queueRatio = 1.8
    /// The change of the limit after which the minimum is measured again.
    private static let change = 2.5

    private let least: Int
    private let most: Int
    private var limit: Double
    private var minimum: Double?
    private var round = Round(start: -.infinity)
    private var probe: Probe?
    private var nextProbe = -Double.infinity
    private var probedLimit = 0.0

    package init(least: Int, most: Int) {
        (self.least, self.most) = (least, max(least, most))
        limit = Double(max(least, min(10, most)))
    }

    /// The number of calls that may run at once.
    package var places: Int { max(least, min(most, Int(min(limit, 1e9)))) }

    /// Learns from the end of a call.
    ///
    /// - Parameters:
    ///   - end: How it ended.
    ///   - start: When it was admitted.
    ///   - now: The present time.
    ///   - inFlight: The number of admitted calls, including this one.
    package mutating func add(_ end: End, since start: Double, at now: Double, inFlight: Int) {
        round.peak = max(round.peak, inFlight)
        if let drainEnd = probe?.drainEnd {
            if inFlight <= places {
                probe?.drainEnd = nil
                round = Round(start: now)
            } else if now > drainEnd, let before = probe?.limit {
                (limit, probe, round) = (before, nil, Round(start: now))
                nextProbe = now + 20
            }
            return
        }
        // Earlier calls ran under another limit.
        guard start >= round.start else { return }
        switch end {
        case .response:
            round.responses += 1
            round.sum += min(now - start, (minimum ?? .infinity) * 10)
        case .overload: round.overloads += 1
        case .other: return
        }
        guard round.responses + round.overloads >= max(probe == nil ? Self.calls : Self.probeCalls, places) else {
            return
        }
        update(at: now)
        round = Round(start: now)
    }

    private mutating func update(at now: Double) {
        if round.overloads * 10 > round.responses {
            (limit, probe) = (max(Double(least), (probe?.limit ?? limit) * 0.9), nil)
            return
        }
        let mean = round.sum / Double(round.responses)
        if let probe { return finish(probe, mean, at: now) }
        guard round.peak > places / 2 else {
            // Too few calls to say anything about the limit.
            minimum = minimum ?? mean
            return
        }
        let longest = (minimum ?? mean) * Self.tolerance
        let gradient = mean <= longest ? 1 : max(0.5, longest / mean)
        limit = max(Double(least), min(Double(most), limit * gradient + limit.squareRoot()))
        if now >= nextProbe || limit > probedLimit * Self.change || limit * Self.change < probedLimit {
            lower(Probe(limit: limit, above: mean), mean, at: now)
        }
    }

    private mutating func lower(_ probe: Probe, _ mean: Double, at now: Double) {
        self.probe = probe
        self.probe?.above = mean
        self.probe?.drainEnd = now + max(1, 10 * mean)
        limit = max(Double(least), limit / 2)
    }

    private mutating func finish(_ probe: Probe, _ mean: Double, at now: Double) {
        if mean * Self.queueRatio < probe.above, places > least { return lower(probe, mean, at: now) }
        // Two similar measurements are more exact than one.
        if let known = minimum, mean > known * 0.7, mean < known * 1.4 {
            minimum = (known + mean) / 2
        } else {
            minimum = mean
        }
        limit = min(probe.limit, 2 * limit)
        (self.probe, probedLimit, nextProbe) = (nil, limit, now + max(20, 50 * mean))
    }
}
