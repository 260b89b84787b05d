import CoreNetKitChain
import CoreNetKitSystem

/// Decides which owners' entries may be sent now, and to which origins: sessions, pauses, unreachable origins, conditions.
///
/// Plain values; a caller that changes them wakes the queues.
struct DeliveryGate: Sendable {
    private struct Scope: Hashable, Sendable {
        let host: String
        let owner: String?
    }

    private(set) var owner: String?
    /// The session of the client's tokens; `nil` before a client has delivered.
    private(set) var session: Partition.Session?
    /// The owner named by the app: counts if the client does not know the user of its tokens.
    private(set) var namedOwner: String?
    /// Owners that are signing out: none of their requests starts, whatever tokens the client has.
    private var parked: Set<String> = []
    private var paused: [Scope: String] = [:]
    private var hosts: [String: (notBefore: Duration, failures: Int)] = [:]
    /// Which conditions hold; `nil` before the source has reported.
    var holding: Set<OutboxCondition>?
    private let seed: UInt64

    init(owner: String? = nil, seed: UInt64) { (self.owner, namedOwner, self.seed) = (owner, owner, seed) }

    // MARK: Owners

    /// Whether entries have no owner, or one who is signed in; other entries do not block these.
    func isPresent(_ needed: String?) -> Bool {
        guard let needed else { return true }
        return needed == owner && !parked.contains(needed)
    }

    func isParked(_ owner: String?) -> Bool { owner.map(parked.contains) ?? false }

    /// Sets the session of the client's tokens and ends the pauses of the previous credential; returns whether entries
    /// may be sent that could not before.
    mutating func enter(_ new: Partition.Session) -> Bool {
        let newOwner = new.partition.ownerName ?? namedOwner
        let isOther = owner != newOwner
        guard isOther || session?.hasSameCredential(as: new) != true else { return false }
        (owner, session) = (newOwner, new)
        return endPauses(of: newOwner) || isOther
    }

    mutating func name(_ new: String?) {
        (owner, namedOwner) = (new, new)
        endPauses(of: new)
    }

    mutating func park(_ owner: String) { parked.insert(owner) }

    /// A user who signs in under this name has a new token.
    mutating func unpark(_ owner: String) {
        parked.remove(owner)
        endPauses(of: owner)
    }

    // MARK: Pauses

    @discardableResult
    private mutating func endPauses(of owner: String?) -> Bool {
        let count = paused.count
        paused = paused.filter { $0.key.owner != owner }
        return paused.count < count
    }

    func pause(of entry: IndexedEntry) -> String? { paused[Scope(host: entry.host, owner: entry.owner)] }

    /// Pauses an owner at an origin, unless the refused credential was replaced meanwhile.
    mutating func pause(_ entry: IndexedEntry, _ text: String, refusedWith old: Partition.Session?) {
        guard old.map({ session?.hasSameCredential(as: $0) ?? false }) ?? true else { return }
        paused[Scope(host: entry.host, owner: entry.owner)] = text
    }

    // MARK: Origins

    func notBefore(_ entry: IndexedEntry) -> Duration { hosts[entry.host]?.notBefore ?? .zero }

    /// Notes that an origin has responded; returns whether entries wait for it.
    mutating func reached(_ entry: IndexedEntry) -> Bool { hosts.removeValue(forKey: entry.host) != nil }

    /// Notes that an origin could not be reached: all of its entries wait together, longer each time.
    mutating func missed(_ entry: IndexedEntry, at now: Duration, _ options: Outbox.Options) {
        let failures = (hosts[entry.host]?.failures ?? 0) + 1
        let ceiling = options.firstBackoff.doubled(failures - 1, upTo: min(options.longestBackoff, .seconds(60)))
        hosts[entry.host] = (now + ceiling * (0.5 + random(entry) / 2), failures)
    }

    /// Lets all origins be tried at once; one that fails again continues its growing waits.
    mutating func endHostWaits() { for host in hosts.keys { hosts[host]?.notBefore = .zero } }

    mutating func forgetHosts() { hosts = [:] }

    mutating func forgetAll() { (paused, hosts) = ([:], [:]) }

    /// Deterministic for the same seed, entry and attempt, in whatever order attempts end.
    func random(_ entry: IndexedEntry) -> Double {
        var value =
            seed &+ entry.number &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(entry.history.attempts) &* 0xBF58_476D_1CE4_E5B9
        value &+= UInt64(hosts[entry.host]?.failures ?? 0) &* 0x94D0_49BB_1331_11EB
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ value >> 31) >> 11) / Double(1 << 53)
    }
}

extension Partition {
    /// An owner's name as stored: a user of a token policy and one named by the app are the same.
    static func ownerName(stored name: String) -> String { Partition(name).name }

    /// A stored name as the app knows it.
    static func ownerName(shown stored: String) -> String {
        guard let colon = stored.firstIndex(of: ":"), let count = Int(stored[..<colon]) else { return stored }
        let name = stored[stored.index(after: colon)...]
        return name.utf8.count == count ? String(name) : stored
    }

    /// The owner name of the user's entries; `nil` for an anonymous user and for a name that is not stable across processes.
    var ownerName: String? { isStable && !isAnonymous ? name : nil }
}
