import CoreNetKit
import CoreNetKitSystem

/// One login: a user, or nobody by name, and which of all logins of a schedule it is.
struct Visit: Hashable, Sendable {
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
struct VisitCredential: TokenCredential {
    let visit: Visit
    let renewal: Int
    var accessToken: AccessToken { AccessToken("\(visit.text).\(renewal)") }
}

/// Chance that a seed repeats.
final class VisitDice: Sendable {
    private let generator: Locked<SplitMix64>

    init(seed: UInt64) { generator = Locked(SplitMix64(seed: seed)) }

    func roll(_ sides: Int) -> Int { generator.withLock { Int.random(in: 0..<sides, using: &$0) } }
    func rolls(oneIn sides: Int) -> Bool { roll(sides) == 0 }

    func pause(_ most: Int = 6) async {
        for _ in 0..<roll(most) { await Task.yield() }
    }
}
