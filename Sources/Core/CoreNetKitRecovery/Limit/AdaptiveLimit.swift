/// The rules of a limit that follows the latency, in seconds, of the calls it admits.
///
/// After each round of calls it is multiplied by the ratio of the minimum latency to the present one (the gradient), with a
/// tolerance and a buffer of its square root. An average of the rounds makes that steady: the limit is the throughput times the
/// minimum, which is the number of calls that keep the server busy, and two fifths more. The minimum is measured anew from time
/// to time, and whenever throughput or limit have changed: with fewer calls, for a moment. Only ends of calls change anything. A
/// plain value, like `LimiterState`.
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
        /// The calls at whose end all places were taken.
        var full = 0
        var sum = 0.0
    }

    /// A measurement of the minimum latency with fewer calls.
    private struct Probe: Sendable {
        /// The limit before.
        let limit: Double
        /// When it is abandoned if the calls beyond the lower limit have not ended; `nil` once they have.
        var drainEnd: Double?
    }

    private static let calls = 16
    private static let probeCalls = 32
    private static let roundsBetweenProbes = 40

    private let least: Int
    private let most: Int
    private var limit: Double
    /// The highest limit until the next probe, below one with which calls were refused.
    private var highest: Double
    private var minimum: Double?
    private var round = Round(start: -.infinity)
    private var probe: Probe?
    private var probedLimit = 0.0
    /// The calls for each second, as an average of some rounds and of the last ones.
    private var (rate, recentRate) = (0.0, 0.0)
    private var roundCount = 0
    /// The time and the round of the next probe.
    private var nextProbe = (time: -Double.infinity, round: 0)

    package init(least: Int, most: Int) {
        (self.least, self.most) = (least, max(least, most))
        (limit, highest) = (Double(max(least, min(10, most))), Double(self.most))
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
        if let probe, let drainEnd = probe.drainEnd {
            if inFlight <= places {
                self.probe?.drainEnd = nil
                round = Round(start: now)
            } else if now > drainEnd {
                (limit, probedLimit, round) = (probe.limit, probe.limit, Round(start: now))
                (self.probe, nextProbe) = (nil, (now + 20, roundCount))
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
        if inFlight >= places { round.full += 1 }
        let calls = max(probe == nil ? Self.calls : Self.probeCalls, places)
        guard round.responses + round.overloads >= calls else { return }
        update(at: now)
        round = Round(start: now)
    }

    private mutating func update(at now: Double) {
        if round.overloads * 10 > round.responses {
            limit = max(Double(least), (probe?.limit ?? limit) * 0.9)
            (highest, probedLimit, probe) = (limit, limit, nil)
            return
        }
        let latency = max(round.sum / Double(round.responses), 1e-9)
        if let probe { return finish(probe, latency, at: now) }
        // With free places the limit has no effect.
        guard round.full * 2 > round.responses else { return }
        roundCount += 1
        let present = Double(places) / latency
        rate += (present - rate) * max(0.15, 1 / Double(roundCount))
        recentRate += (present - recentRate) * max(0.5, 1 / Double(roundCount))
        let isOther = recentRate > rate * 1.4 || recentRate < rate * 0.7
        if isOther { (rate, roundCount) = (recentRate, 2) }
        let hasMoved = limit > probedLimit * 1.4 || limit * 1.4 < probedLimit
        let isDue = now >= nextProbe.time && roundCount >= nextProbe.round
        guard isOther || hasMoved || isDue else { return follow() }
        probe = Probe(limit: limit, drainEnd: now + max(1, 10 * latency))
        limit = max(Double(least), limit * 0.45)
    }

    /// Limits the calls to the average throughput.
    private mutating func follow() {
        // With a smaller buffer a limit of one call would not grow to two.
        let next = 1.4 * rate * (minimum ?? 0) + 0.3 * (1 + limit.squareRoot())
        limit = max(Double(least), min(highest, next, 1.5 * limit))
    }

    private mutating func finish(_ probe: Probe, _ latency: Double, at now: Double) {
        // Two similar measurements are more exact than one.
        let known = minimum ?? latency
        minimum = 0.8...1.25 ~= latency / known ? (known + latency) / 2 : latency
        (limit, highest, self.probe) = (probe.limit, Double(most), nil)
        follow()
        probedLimit = limit
        nextProbe = (now + max(20, 50 * latency), roundCount + Self.roundsBetweenProbes)
    }
}
