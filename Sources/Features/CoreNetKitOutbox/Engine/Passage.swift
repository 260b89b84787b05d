import CoreNetKitChain
import CoreNetKitSystem

/// Whose entries may go now, and where to: logins, pauses, origins that were not reached, conditions that hold.
///
/// Plain values; whoever changes them tells the queues.
struct Passage: Sendable {
    /// Who is paused: the entries of an owner for an origin.
    private struct Scope: Hashable, Sendable {
        let host: String
        let owner: String?
    }

    /// An origin that was not reached.
    private struct HostWait: Sendable {
        var notBefore: Duration
        var failures: Int
    }

    /// Whose tokens the client has, as it is stored.
    private(set) var owner: String?
    /// The login that the client's tokens are of; `nil` where no client has delivered yet.
    private(set) var session: Partition.Session?
    /// Whom the app has named itself: counts where the client does not know whose tokens it has.
    private(set) var namedOwner: String?
    /// Who signs out just now: nothing of theirs begins, whoever the client's tokens are of.
    private var parked: Set<String> = []
    private var paused: [Scope: String] = [:]
    private var hosts: [String: HostWait] = [:]
    /// Which conditions hold; `nil` before anybody has said so.
    var holding: Set<OutboxCondition>?
    private let seed: UInt64

    init(owner: String? = nil, seed: UInt64) {
        (self.owner, namedOwner, self.seed) = (owner, owner, seed)
    }

    // MARK: Owners

    /// Whether entries are nobody's or those of who is signed in; any others are not in the way of those.
    func isPresent(_ needed: String?) -> Bool {
        guard let needed else { return true }
        return needed == owner && !parked.contains(needed)
    }

    func isParked(_ owner: String?) -> Bool { owner.map(parked.contains) ?? false }

    /// The client's tokens are of this session by now: what its user's last credential was refused for is tried again.
    ///
    /// - Returns: Whether something may go that could not before.
    mutating func enter(_ new: Partition.Session) -> Bool {
        let newOwner = new.partition.ownerName ?? namedOwner
        let isOther = owner != newOwner
        guard isOther || session?.hasSameCredential(as: new) != true else { return false }
        (owner, session) = (newOwner, new)
        return endPauses(of: newOwner) || isOther
    }

    /// The app says whose tokens they are.
    mutating func name(_ new: String?) {
        (owner, namedOwner) = (new, new)
        endPauses(of: new)
    }

    mutating func park(_ owner: String) { parked.insert(owner) }

    /// Whoever signs in by this name has another token.
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

    /// Why an entry's owner waits at its origin.
    func pause(of entry: BoxEntry) -> String? { paused[Scope(host: entry.host, owner: entry.owner)] }

    /// Refused with a credential that was replaced meanwhile, an entry is tried with that one.
    mutating func pause(_ entry: BoxEntry, _ text: String, refusedWith old: Partition.Session?) {
        guard old.map({ session?.hasSameCredential(as: $0) ?? false }) ?? true else { return }
        paused[Scope(host: entry.host, owner: entry.owner)] = text
    }

    // MARK: Origins

    /// When the origin of an entry is asked again.
    func notBefore(_ entry: BoxEntry) -> Duration { hosts[entry.host]?.notBefore ?? .zero }

    /// An origin has responded.
    ///
    /// - Returns: Whether somebody waits for it.
    mutating func reached(_ entry: BoxEntry) -> Bool { hosts.removeValue(forKey: entry.host) != nil }

    /// An origin was not reached: all of its entries wait together, longer each time.
    mutating func missed(_ entry: BoxEntry, at now: Duration, first: Duration, longest: Duration) {
        let failures = (hosts[entry.host]?.failures ?? 0) + 1
        let ceiling = first.doubled(failures - 1, upTo: min(longest, .seconds(60)))
        let pause = ceiling * (0.5 + random(entry) / 2)
        hosts[entry.host] = HostWait(notBefore: now + pause, failures: failures)
    }

    /// All origins may be tried at once; those that fail again wait no shorter than they were to.
    mutating func endHostWaits() { for host in hosts.keys { hosts[host]?.notBefore = .zero } }

    /// The network is back.
    mutating func forgetHosts() { hosts = [:] }

    /// Somebody says that it is to be tried, whatever was refused.
    mutating func forgetAll() { (paused, hosts) = ([:], [:]) }

    /// The same for the same seed, entry and attempt, in whatever order they end.
    func random(_ entry: BoxEntry) -> Double {
        var value = seed &+ entry.number &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(entry.attempts) &* 0xBF58_476D_1CE4_E5B9
        value &+= UInt64(hosts[entry.host]?.failures ?? 0) &* 0x94D0_49BB_1331_11EB
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ value >> 31) >> 11) / Double(1 << 53)
    }
}
