import CoreNetKit
import CoreNetKitChain
import CoreNetKitSystem
import Foundation

/// One login of the world: a user, or nobody by name, and which of all logins it is.
struct WorldLogin: Hashable, Sendable {
    static let unnamed = "nobody"

    let user: String
    let number: Int
    var isNamed: Bool { user != Self.unnamed }
    var text: String { "\(user).\(number)" }

    init(_ user: String?, _ number: Int) { (self.user, self.number) = (user ?? Self.unnamed, number) }

    /// Reads `user.number`, with whatever behind it.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".")
        guard parts.count >= 2, let number = Int(parts[1]) else { return nil }
        self.init(String(parts[0]), number)
    }
}

/// What the server gives at a login.
struct WorldCredential: TokenCredential {
    let login: WorldLogin
    let renewal: Int
    var accessToken: AccessToken { AccessToken("\(login.text).\(renewal)") }
}

/// Who was signed in when, who has gone, and what broke a rule.
final class SessionRecord: Sendable {
    struct Counts: Sendable {
        var responses = 0, ended = 0, shared = 0, stored = 0, renewals = 0

        mutating func add(_ other: Counts) {
            responses += other.responses
            ended += other.ended
            shared += other.shared
            stored += other.stored
            renewals += other.renewals
        }
    }

    /// The last login of each user whose things have gone.
    struct Gone: Sendable {
        var responses: [String: Int] = [:]
        var cookies: [String: Int] = [:]
    }

    private struct State: Sendable {
        var logins: [Partition.Session: WorldLogin] = [:]
        var gone = Gone()
        /// What had gone when a login began.
        var before: [Int: Gone] = [:]
        /// Logins that have signed out to the end.
        var closed: Set<Int> = []
        var renewals: [Int: Int] = [:]
        var lastNumber = 0
        var problems: [String] = []
        var counts = Counts()
    }

    private let state = Locked(State())

    var problems: [String] { state.withLock { $0.problems } }
    var counts: Counts { state.withLock { $0.counts } }
    var gone: Gone { state.withLock { $0.gone } }

    func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }
    func problem(_ text: String) { state.withLock { $0.problems.append(text) } }

    /// A new login; what has gone until now is not to come back to it.
    func begin(_ user: String?) -> WorldLogin {
        state.withLock { state in
            state.lastNumber += 1
            state.before[state.lastNumber] = state.gone
            return WorldLogin(user, state.lastNumber)
        }
    }

    func register(_ login: WorldLogin, as session: Partition.Session) {
        state.withLock { state in
            if let known = state.logins[session], known != login {
                state.problems.append("\(login.text) has the session of \(known.text)")
            }
            state.logins[session] = login
        }
    }

    func knows(_ session: Partition.Session) -> Bool { state.withLock { $0.logins[session] != nil } }

    /// The login of a session, as soon as the schedule has said which it is.
    func login(of session: Partition.Session) async -> WorldLogin {
        while true {
            if let known = state.withLock({ $0.logins[session] }) { return known }
            await Task.yield()
        }
    }

    func close(_ login: WorldLogin, keeping kinds: Set<SignOut.Kind>) {
        state.withLock { state in
            state.closed.insert(login.number)
            if !kinds.contains(.responses) {
                state.gone.responses[login.user] = max(login.number, state.gone.responses[login.user] ?? 0)
            }
            if !kinds.contains(.cookies) {
                state.gone.cookies[login.user] = max(login.number, state.gone.cookies[login.user] ?? 0)
            }
        }
    }

    func isClosed(_ login: WorldLogin) -> Bool { state.withLock { $0.closed.contains(login.number) } }

    /// Whether what one login left may be seen by another one.
    func mayBeSeen(_ old: WorldLogin, by new: WorldLogin, _ gone: KeyPath<Gone, [String: Int]>) -> Bool {
        guard old.user == new.user else { return false }
        guard old.isNamed else { return old == new }
        let last = state.withLock { $0.before[new.number]?[keyPath: gone][new.user] } ?? 0
        return old.number > last
    }

    func renewal(of login: WorldLogin) -> Int { state.withLock { $0.renewals[login.number] ?? 0 } }

    func renew(_ login: WorldLogin) -> WorldCredential {
        state.withLock { $0.counts.renewals += 1 }
        return WorldCredential(login: login, renewal: renewal(of: login))
    }

    func expire(_ login: WorldLogin) { state.withLock { $0.renewals[login.number, default: 0] += 1 } }
}

/// Chance that a seed repeats.
final class SessionDice: Sendable {
    private let generator: Locked<SplitMix64>

    init(seed: UInt64) { generator = Locked(SplitMix64(seed: seed)) }

    func roll(_ sides: Int) -> Int { generator.withLock { Int.random(in: 0..<sides, using: &$0) } }
    func rolls(oneIn sides: Int) -> Bool { roll(sides) == 0 }

    func pause(_ most: Int = 6) async {
        for _ in 0..<roll(most) { await Task.yield() }
    }
}
