import CoreNetKitSystem

/// Leaves secrets out of one thing after another, by one set of rules, and remembers what it has met.
package struct Redactor: Sendable {
    /// What stands in a secret's place.
    package enum Style: Sendable {
        /// Always the same word.
        case constant
        /// A numbered placeholder, the same one for the same secret, so that a flow stays readable and comparable.
        case numbered
        /// The same placeholder for all secrets, and 0 for numbers: what differs in secrets only is equal.
        case blank
    }

    /// Which values are left out for what they look like, whatever their names.
    package enum Looks: Sendable {
        /// None: names alone decide.
        case none
        /// Keys and tokens of well-known forms; what is merely random is hinted at.
        case known
        /// Long random texts too.
        case all
    }

    /// What the same word is.
    package static let word = "REDACTED"

    /// Values that looked like a secret under a name that does not tell: where they stood.
    package private(set) var hints: [String] = []
    /// Whether anything was left out.
    private(set) var hasReplaced = false
    /// What is secret.
    package var rules: SecretRules
    /// How deep texts inside of texts are looked through.
    static let mostDepth = 4
    let style: Style
    private let looks: Looks
    private let least: SecretRules.Verdict
    /// What stands for the secrets that were met, where they are numbered.
    package var standIns = StandIns()

    /// Creates a redactor.
    ///
    /// - Parameters:
    ///   - style: What stands in a secret's place.
    ///   - rules: What is secret.
    ///   - looks: Which values go for what they look like; for numbered placeholders those of well-known forms, lest ids
    ///     that a flow goes by are lost.
    ///   - least: What is left out of queries: what is secret, or also what may be.
    package init(
        _ style: Style = .constant,
        by rules: SecretRules = .standard,
        looks: Looks? = nil,
        least: SecretRules.Verdict = .secret
    ) {
        self.style = style
        self.rules = rules
        self.looks = looks ?? (style == .constant ? .all : .known)
        self.least = least
    }

    /// What stands in a secret's place.
    ///
    /// - Parameters:
    ///   - value: The secret.
    ///   - name: What it is called.
    /// - Returns: Letters, digits and `-` only, braces around them for a numbered one.
    package mutating func replacement(of value: some StringProtocol, named name: some StringProtocol) -> String {
        hasReplaced = true
        switch style {
        case .constant: return Self.word
        case .blank: return "{{}}"
        case .numbered: return standIns.text(for: String(value), named: name)
        }
    }

    /// The same, as it may stand in a URL; the value is encoded as there.
    mutating func urlReplacement(of value: some StringProtocol, named name: some StringProtocol) -> String {
        guard style == .numbered else { return replacement(of: value, named: name) }
        return StandIns.inURL(replacement(of: PercentEncoding.decode(value), named: name))
    }

    /// What stands in the place of a secret number in a document; on a tape a number, as it is read as one.
    mutating func documentReplacement(ofNumber value: String, named name: String) -> String {
        hasReplaced = true
        switch style {
        case .constant: return "\"\(Self.word)\""
        case .blank: return "0"
        case .numbered: return standIns.number(for: value)
        }
    }

    /// Whether the values of an item are left out.
    func isSecret(item name: some StringProtocol) -> Bool { rules.verdict(item: name) >= least }

    /// Whether a value goes for its look; a value that looks like a secret is hinted at.
    mutating func isSecret(
        look value: some StringProtocol,
        isCut: Bool = false,
        at place: @autoclosure () -> String
    ) -> Bool {
        guard looks != .none else { return false }
        let isToken = SecretLook.isToken(value, isCut: isCut)
        guard isToken || SecretLook.isRandom(value) else { return false }
        hint(place())
        return isToken || looks == .all
    }

    private mutating func hint(_ place: String) {
        let hint = "\(place) looks like a secret"
        if hints.count < 20, !hints.contains(hint) { hints.append(hint) }
    }
}
