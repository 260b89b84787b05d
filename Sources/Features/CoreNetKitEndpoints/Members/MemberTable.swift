import CoreNetKitHTTP
import CoreNetKitSystem

/// The health and load of all members: a value without clock, lock or task, so that schedules of it can be replayed.
struct MemberTable: Sendable {
    /// A set of members is a machine word.
    static let limit = 64

    /// A time, and how often the network has returned until then.
    struct Moment: Sendable {
        let now: Duration
        var returns = 0
    }

    /// The member of one request.
    struct Choice: Sendable {
        let target: MemberTarget
        let serial: Int
        /// The member as a set.
        let bit: UInt64
        /// Reports of an earlier number say nothing about the member's present health.
        let number: Int
        let isProbe: Bool
    }

    /// How a request ended.
    enum Report: Sendable {
        /// With a response, or the member has shown otherwise that it works; the time to its head in nanoseconds, if measured.
        case success(latency: Int64?)
        case failure
        /// Cancelled, or refused on this side.
        case neither
        /// The member asked to be left alone, perhaps with a failure.
        case rest(Duration, isFailure: Bool)
    }

    /// A change of a member's health, or a failure that counts.
    enum Change: Sendable, Equatable {
        case ejected(for: Duration)
        case returned, failed
    }

    struct Entry: Sendable {
        let target: MemberTarget
        let serial: Int
        let bit: UInt64
        /// Failures in a row.
        var failures = 0
        /// Ejections in a row, with little time in between.
        var ejections = 0
        /// When the member may be tried again; `nil` if it works.
        var ejectedUntil: Duration?
        /// While a probe is running, when another one may begin.
        var leasedUntil: Duration?
        var returnedAt: Duration?
        var restingUntil: Duration?
        /// Changes with the health.
        var number: Int
        var load = MemberLoad()

        var isAvailable: Bool { ejectedUntil == nil && restingUntil == nil }

        func isDue(at now: Duration) -> Bool {
            guard let ejectedUntil, ejectedUntil <= now, restingUntil == nil else { return false }
            return leasedUntil.map { $0 <= now } ?? true
        }
    }

    private static let failureLimit = 3
    private static let pause = Duration.seconds(10)
    private static let longestPause = Duration.seconds(300)

    var entries: [Entry] = []
    let strategy: Endpoints.Strategy
    var random: SplitMix64
    /// The index where ``Endpoints/Strategy/ordered(sticky:)`` stays, and until when.
    var current = 0
    var stickyUntil: Duration?
    /// How many entries are ejected or rest; if there is none, no choice reads a clock.
    private var ailing = 0
    private var lastNumber = 0
    private var returns: Int?
    /// The indices of the preferred zone, or all.
    private var local = UInt64.max

    init(_ targets: [MemberTarget], _ strategy: Endpoints.Strategy, seed: UInt64) {
        self.strategy = strategy
        random = SplitMix64(seed: seed)
        replace(with: targets)
    }

    var states: [Endpoints.MemberState] {
        entries.map {
            .init(
                origin: $0.target.origin,
                isDiscovered: $0.target.isDiscovered,
                ejectedUntil: $0.ejectedUntil,
                restingUntil: $0.restingUntil,
                inFlight: $0.load.inFlight,
                latency: $0.load.latency
            )
        }
    }

    /// Whether there are members besides these.
    func hasMembers(except tried: UInt64) -> Bool { entries.contains { $0.bit & tried == 0 } }

    /// Chooses a member for a request, again if all were tried, and counts it as in flight; `nil` if there are none.
    ///
    /// The time is not read while all members work and the strategy needs none.
    mutating func choose(except tried: UInt64, at moment: () -> Moment) -> Choice? {
        guard !entries.isEmpty else { return nil }
        let except = hasMembers(except: tried) ? tried : 0
        var (index, isProbe) = (0, false)
        if ailing == 0, except == 0, current == 0, strategy.isOrdered {
            // The first of the list, as nearly always.
        } else if ailing == 0, strategy.kind == .roundRobin {
            index = pick(among: preferred(open(except)), except: except, at: .zero)
        } else {
            let moment = moment()
            follow(moment)
            (index, isProbe) = find(except, at: moment.now)
        }
        entries[index].load.inFlight += 1
        let entry = entries[index]
        return .init(target: entry.target, serial: entry.serial, bit: entry.bit, number: entry.number, isProbe: isProbe)
    }

    private func open(_ except: UInt64, where holds: (Entry) -> Bool = { _ in true }) -> UInt64 {
        var mask: UInt64 = 0
        for index in entries.indices where entries[index].bit & except == 0 && holds(entries[index]) {
            mask |= 1 << UInt64(index)
        }
        return mask
    }

    private func preferred(_ mask: UInt64) -> UInt64 { mask & local == 0 ? mask : mask & local }

    private mutating func find(_ except: UInt64, at now: Duration) -> (index: Int, isProbe: Bool) {
        let available = preferred(open(except, where: \.isAvailable))
        // Members of other zones are not needed while one of the preferred zone works.
        let due = open(except) { $0.isDue(at: now) } & (available & local == 0 ? .max : local)
        if due != 0, mayProbe(due.trailingZeroBitCount, available, at: now) {
            let index = due.trailingZeroBitCount
            entries[index].leasedUntil = now + Self.pause
            return (index, true)
        }
        // If none works, all are used: a wrong guess must not stop all calls.
        return (pick(among: available == 0 ? open(except) : available, except: except, at: now), false)
    }

    /// Ends rests that are over; a network that is back makes every verdict about members out of date.
    private mutating func follow(_ moment: Moment) {
        let isBack = returns.map { $0 != moment.returns } ?? false
        returns = moment.returns
        if isBack { stickyUntil = nil }
        for index in entries.indices {
            if let end = entries[index].restingUntil, end <= moment.now {
                entries[index].restingUntil = nil
                if entries[index].ejectedUntil == nil { ailing -= 1 }
            }
            if isBack, let end = entries[index].ejectedUntil {
                (entries[index].ejectedUntil, entries[index].leasedUntil) = (min(end, moment.now), nil)
            }
        }
    }

    /// Takes the result of a request, which is in flight no longer; returns how the member's health has changed.
    mutating func end(_ choice: Choice, _ report: Report, at moment: () -> Moment) -> Change? {
        guard let index = entries.firstIndex(where: { $0.serial == choice.serial }) else { return nil }
        entries[index].load.inFlight -= 1
        let isCurrent = entries[index].number == choice.number
        switch report {
        case .success(let latency):
            if let latency { entries[index].load.add(latency, at: moment().now) }
            guard isCurrent else { return nil }
            entries[index].failures = 0
            return entries[index].ejectedUntil == nil ? nil : takeBack(index, at: moment().now)
        case .neither: break
        case .failure: return isCurrent ? fail(index, choice.isProbe, moment()) : nil
        case .rest(let wait, let isFailure):
            let moment = moment()
            let end = moment.now + min(max(wait, .zero), Self.longestPause)
            if entries[index].isAvailable { ailing += 1 }
            entries[index].restingUntil = max(entries[index].restingUntil ?? end, end)
            if isCurrent, isFailure { return fail(index, choice.isProbe, moment) }
        }
        if isCurrent, choice.isProbe { entries[index].leasedUntil = nil }
        return nil
    }

    private mutating func fail(_ index: Int, _ isProbe: Bool, _ moment: Moment) -> Change? {
        if returns == nil { returns = moment.returns }
        entries[index].failures += 1
        let isEjected = entries[index].ejectedUntil != nil
        guard isEjected ? isProbe : entries[index].failures >= Self.failureLimit else { return .failed }
        return eject(index, moment.now)
    }

    /// Ejects a member before its third failure; not if it has responded since.
    mutating func followHint(_ choice: Choice, at now: Duration) -> Change? {
        let index = entries.firstIndex { $0.number == choice.number && $0.failures > 0 && $0.ejectedUntil == nil }
        return index.flatMap { eject($0, now) }
    }

    private mutating func eject(_ index: Int, _ now: Duration) -> Change? {
        let isEjected = entries[index].ejectedUntil != nil
        let others = entries.indices.count { $0 != index && (entries[$0].ejectedUntil ?? .zero) > now }
        guard others + 1 <= entries.count / 2 else {
            entries[index].leasedUntil = nil
            return nil
        }
        let isRecent = entries[index].returnedAt.map { now - $0 < Self.longestPause } ?? true
        let count = isEjected || isRecent ? entries[index].ejections + 1 : 1
        let pause = min(Self.pause * min(count, 30), Self.longestPause)
        if entries[index].isAvailable { ailing += 1 }
        entries[index].ejections = count
        (entries[index].ejectedUntil, entries[index].leasedUntil) = (now + pause, nil)
        changed(index)
        return .ejected(for: pause)
    }

    private mutating func takeBack(_ index: Int, at now: Duration?) -> Change {
        (entries[index].ejectedUntil, entries[index].leasedUntil) = (nil, nil)
        if let now { entries[index].returnedAt = now }
        if entries[index].restingUntil == nil { ailing -= 1 }
        changed(index)
        return .returned
    }

    private mutating func changed(_ index: Int) {
        lastNumber += 1
        (entries[index].number, entries[index].failures) = (lastNumber, 0)
    }

    /// Replaces the members; one that stays keeps its health, and requests in flight to one that is gone count no longer.
    mutating func replace(with targets: [MemberTarget]) {
        let staying = entries.filter { entry in targets.contains { $0.isSame(as: entry.target) } }
        var (kept, used) = ([Entry](), staying.reduce(0) { $0 | $1.bit })
        for target in targets
        where kept.count < Self.limit && !kept.contains(where: { $0.target.origin == target.origin }) {
            if let old = staying.first(where: { $0.target.isSame(as: target) }) {
                kept.append(old)
            } else if used != .max {
                let bit = ~used & (used + 1)
                used |= bit
                lastNumber += 1
                kept.append(Entry(target: target, serial: lastNumber, bit: bit, number: lastNumber))
            }
        }
        let zone = strategy.zone
        let isLocal = { (entry: Entry) in zone == nil || entry.target.zone == zone }
        let others = kept.filter { !isLocal($0) }
        (entries, current, stickyUntil) = (kept.filter(isLocal) + others, 0, nil)
        local = others.isEmpty ? .max : 1 << UInt64(kept.count - others.count) - 1
        ailing = kept.count { !$0.isAvailable }
        // Fewer members: those that come back first are used again, so that at most half stay away.
        while entries.count(where: { $0.ejectedUntil != nil }) > entries.count / 2 {
            let first = entries.indices.filter { entries[$0].ejectedUntil != nil }
                .min { (entries[$0].ejectedUntil ?? .zero) < (entries[$1].ejectedUntil ?? .zero) }
            guard let first else { return }
            _ = takeBack(first, at: nil)
        }
    }
}
