/// The rules of a limit that follows the latency, in seconds, of the calls it admits.
///
/// The limit is the throughput times the minimum latency, which is the number of calls that keep the server busy, and
/// two thirds more. The throughput is an average of rounds of calls. The minimum is measured with fewer calls for a
/// moment (a probe): from time to time, and when throughput or limit have changed. Latencies are those of Little's law,
/// the calls in flight divided by the throughput, because the calls that end first are the short ones. Only ends of
/// calls change anything. A plain value, like `LimiterState`.
package struct AdaptiveLimit: Sendable {
    package enum End: Sendable {
        case response
        /// Refused because of load, or not in time.
        case overload
        /// Failed in a way that tells nothing about the load.
        case other
    }

    private struct Round: Sendable {
        let start: Double
        /// When the last call ended.
        var last: Double
        /// How long it took, without times when no call was in flight.
        var duration = 0.0
        /// How long its calls were in flight, in all.
        var sum = 0.0
        var responses = 0
        var overloads = 0
        /// The calls at whose end all places were taken.
        var full = 0

        init(start: Double) { (self.start, last) = (start, start) }

        var rate: Double { Double(responses) / max(duration, 1e-9) }
        var latency: Double { max(sum / Double(responses), 1e-9) }
    }

    /// A measurement of the minimum latency with fewer calls.
    private struct Probe: Sendable {
        /// The limit before.
        let limit: Double
        /// When it is abandoned if the calls beyond the lower limit have not ended; `nil` once they have.
        var drainEnd: Double?
    }

    /// The limit as a multiple of the calls that keep the server busy; the minimum may be measured too low by as much.
    private static let margin = 1.65
    /// The calls of a round, of a probe that takes no longer than half a second, and of an exact minimum.
    private static let (calls, probeCalls, exactCalls) = (16, 64, 48)
    /// The evidence with which the throughput counts as lower: the logarithm of a likelihood ratio.
    private static let enough = 18.0

    private let least: Int
    private let most: Int
    private var limit: Double
    /// The highest limit until the next probe, below one with which calls were refused.
    private var highest: Double
    private var round = Round(start: -.infinity)
    private var probe: Probe?
    /// The average calls for each second.
    private var rate = 0.0
    /// The number of rounds in it.
    private var roundCount = 0
    /// The evidence for half of the throughput (CUSUM).
    private var slowness = 0.0
    private var minimum: Double?
    /// The number of calls with which it was measured.
    private var minimumCalls = 0
    /// The limit after the last exact probe.
    private var probedLimit = 0.0
    /// The time and the round of the next probe.
    private var nextProbe = (time: -Double.infinity, round: 0)

    package init(least: Int, most: Int) {
        (self.least, self.most) = (least, max(least, most))
        (limit, highest) = (Double(max(least, min(10, most))), Double(self.most))
    }

    /// The number of calls that may run at once.
    package var places: Int { max(least, min(most, Int(min(limit, 1e9) + 0.75))) }

    /// Learns from the end of a call that was admitted at `start`; `inFlight` counts the admitted calls, including this one.
    package mutating func add(_ end: End, since start: Double, at now: Double, inFlight: Int) {
        if let probe, let drainEnd = probe.drainEnd {
            if inFlight <= places {
                self.probe?.drainEnd = nil
                round = Round(start: now)
            } else if now > drainEnd {
                abandon(probe, at: now)
            }
            return
        }
        guard now >= round.start else { return }
        if round.start == -.infinity { round = Round(start: start) }
        // No call may have been in flight before this one.
        let time = max(0, now - max(start, round.last))
        round.duration += time
        round.sum += Double(inFlight) * time
        round.last = now
        switch end {
        case .response: round.responses += 1
        case .overload: round.overloads += 1
        case .other:
            round.sum -= now - max(start, round.start)
            return
        }
        if inFlight >= places { round.full += 1 }
        guard isComplete else { return }
        let done = round
        round = Round(start: now)
        update(done, at: now)
    }

    private var isComplete: Bool {
        let calls = round.responses + round.overloads
        guard calls >= max(Self.calls, places) else { return probe == nil && evidence(round) > Self.enough }
        return probe == nil || calls >= Self.probeCalls || round.duration >= 0.5
    }

    /// The evidence for half of the throughput, if ends of calls are a Poisson process; 0.693 is the logarithm of 2.
    private func evidence(_ round: Round) -> Double {
        guard roundCount > 2, round.responses > 3 else { return 0 }
        return slowness + rate * round.duration / 2 - 0.693 * Double(round.responses)
    }

    private mutating func update(_ round: Round, at now: Double) {
        if round.overloads * 10 > round.responses {
            limit = max(Double(least), (probe?.limit ?? limit) * 0.9)
            (highest, probedLimit, probe) = (limit, limit, nil)
            return
        }
        // With free places the limit has no effect.
        guard round.full * 2 > round.responses else {
            if let probe { abandon(probe, at: now) }
            return
        }
        let before = Double(places)
        if let probe { finish(probe, round, at: now) } else { follow(round, at: now) }
        // The first calls of a higher limit end after a latency.
        if Double(places) > 1.15 * before { self.round = Round(start: now + round.latency) }
    }

    /// Learns from a round with the usual limit, and begins a probe if the server may have changed.
    private mutating func follow(_ round: Round, at now: Double) {
        slowness = max(0, evidence(round))
        roundCount += 1
        let minimum = minimum ?? 0
        let isGrowing = round.rate > rate && round.latency < 1.1 * minimum
        rate += (round.rate - rate) * max(isGrowing ? 0.35 : 0.15, 1 / Double(roundCount))
        if slowness > Self.enough {
            // Between the calls for slower workers and those for fewer workers.
            let busy = (rate * round.rate).squareRoot() * minimum
            (slowness, rate, roundCount, minimumCalls) = (0, round.rate, 0, 0)
            lower(to: busy, round, at: now)
        } else if isExact, target > 1.6 * probedLimit || limit * 1.4 < probedLimit {
            minimumCalls = 0
            lower(to: min(probedLimit / Self.margin, rate * minimum), round, at: now)
        } else if now >= nextProbe.time, roundCount >= nextProbe.round {
            lower(to: minimum > 0 ? rate * minimum : limit / 3, round, at: now)
        } else {
            move()
        }
    }

    private var isExact: Bool { minimumCalls >= Self.exactCalls }

    private var target: Double { min(highest, Self.margin * rate * (minimum ?? 0)) }

    private mutating func move() {
        guard minimum != nil else { return }
        limit = max(Double(least), min(target, 1.7 * limit))
        if !isExact { probedLimit = limit }
    }

    private mutating func lower(to busy: Double, _ round: Round, at now: Double) {
        probe = Probe(limit: limit, drainEnd: now + max(1, 10 * limit / round.rate))
        limit = max(Double(least), max(limit / 8, min(0.9 * limit, 0.8 * busy)).rounded())
    }

    private mutating func abandon(_ probe: Probe, at now: Double) {
        (limit, self.probe, nextProbe, round) = (probe.limit, nil, (now + 20, roundCount), Round(start: now))
    }

    private mutating func finish(_ probe: Probe, _ round: Round, at now: Double) {
        let known = minimum ?? round.latency
        minimumCalls = max(round.responses, min(minimumCalls + round.responses, Self.exactCalls))
        minimum = known + (round.latency - known) * Double(round.responses) / Double(minimumCalls)
        (rate, limit, highest) = (max(rate, round.rate), probe.limit, Double(most))
        self.probe = nil
        move()
        probedLimit = limit
        nextProbe = isExact ? (now + 10, roundCount + 25) : (now, roundCount + 3)
    }
}
