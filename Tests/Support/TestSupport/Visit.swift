/// One login: a user, or nobody by name, and which of all logins of a schedule it is.
package struct Visit: Hashable, Sendable {
    package static let unnamed = "nobody"

    package let user: String
    package let number: Int
    package var isNamed: Bool { user != Self.unnamed }
    package var text: String { "\(user).\(number)" }

    package init(_ user: String?, _ number: Int) { (self.user, self.number) = (user ?? Self.unnamed, number) }

    /// Reads `user.number`, with whatever behind it.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".")
        guard parts.count >= 2, let number = Int(parts[1]) else { return nil }
        self.init(String(parts[0]), number)
    }
}

/// What the server gives at a login.
package struct VisitCredential: TokenCredential {
    package let visit: Visit
    package let renewal: Int
    package var accessToken: AccessToken { AccessToken("\(visit.text).\(renewal)") }

    package init(visit: Visit, renewal: Int) { (self.visit, self.renewal) = (visit, renewal) }
}

/// Chance that a seed repeats.
package final class VisitDice: Sendable {
    private let generator: Locked<SplitMix64>

    package init(seed: UInt64) { generator = Locked(SplitMix64(seed: seed)) }

    package func roll(_ sides: Int) -> Int { generator.withLock { Int.random(in: 0..<sides, using: &$0) } }
    package func rolls(oneIn sides: Int) -> Bool { roll(sides) == 0 }

    package func pause(_ most: Int = 6) async {
        for _ in 0..<roll(most) { await Task.yield() }
    }
}
