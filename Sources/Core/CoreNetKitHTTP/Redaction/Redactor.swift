import CoreNetKitSystem

/// Removes secrets from a series of values by one set of rules, and remembers the secrets that it has found.
package struct Redactor: Sendable {
    package enum Style: Sendable {
        /// Always the same word.
        case constant
        /// A numbered placeholder, the same one for the same secret, so that a flow stays readable and comparable.
        case numbered
        /// The same placeholder for all secrets, and 0 for numbers: values that differ only in secrets become equal.
        case blank
    }

    package static let word = "REDACTED"

    /// Where values under harmless names looked like secrets.
    package private(set) var hints: [String] = []
    private(set) var hasReplaced = false
    package var rules: SecretRules
    /// Whether plain text, XML and event streams are shown too, which have secrets in fewer recognisable places than JSON.
    package var showsTexts = false
    static let mostDepth = 4
    let style: Style
    private let removesRandom: Bool
    private let least: SecretRules.Verdict
    /// The numbered placeholders of the secrets found so far.
    package var tokens = RedactionTokens()

    /// `removesRandom` decides on values that only look random.
    ///
    /// Without it only a constant style removes them, so that ids that a flow depends on are kept. `least` is what is removed
    /// from queries: certain secrets only, or possible ones too.
    package init(
        _ style: Style = .constant,
        by rules: SecretRules = .standard,
        removesRandom: Bool? = nil,
        least: SecretRules.Verdict = .secret
    ) {
        (self.style, self.rules) = (style, rules)
        self.removesRandom = removesRandom ?? (style == .constant)
        self.least = least
    }

    /// The placeholder of a secret: letters, digits and `-` only; a numbered one is in braces.
    package mutating func replacement(of value: some StringProtocol, named name: some StringProtocol) -> String {
        hasReplaced = true
        switch style {
        case .constant: return Self.word
        case .blank: return "{{}}"
        case .numbered: return tokens.text(for: String(value), named: name)
        }
    }

    /// The same, encoded for a URL; the value is encoded as in the URL.
    mutating func urlReplacement(of value: some StringProtocol, named name: some StringProtocol) -> String {
        guard style == .numbered else { return replacement(of: value, named: name) }
        return RedactionTokens.inURL(replacement(of: PercentEncoding.decode(value), named: name))
    }

    /// The placeholder of a secret number in a document; on a tape another number, because it is decoded as one.
    mutating func documentReplacement(ofNumber value: String, named name: String) -> String {
        hasReplaced = true
        switch style {
        case .constant: return "\"\(Self.word)\""
        case .blank: return "0"
        case .numbered: return tokens.number(for: value)
        }
    }

    func isSecret(item name: some StringProtocol) -> Bool { rules.verdict(item: name) >= least }

    /// Whether a value is removed because of its form; a value that only looks like a secret is reported as a hint.
    mutating func isSecret(
        value: some StringProtocol,
        isCut: Bool = false,
        at place: @autoclosure () -> String
    ) -> Bool {
        let isToken = SecretPattern.isToken(value, isCut: isCut)
        guard isToken || SecretPattern.isRandom(value) else { return false }
        hint(place())
        return isToken || removesRandom
    }

    /// A text without tokens of known forms; with `isURL`, the placeholders are encoded.
    mutating func withoutTokens(_ text: String, isCut: Bool = false, isURL: Bool = false) -> String {
        let found = SecretPattern.tokens(in: text, isCut: isCut)
        if found.isEmpty { return text }
        hint("a part of a text")
        let bytes = Array(text.utf8)
        var (result, start) = ("", 0)
        for range in found {
            let token = String(decoding: bytes[range], as: UTF8.self)
            result += String(decoding: bytes[start..<range.lowerBound], as: UTF8.self)
            result += isURL ? urlReplacement(of: token, named: "token") : replacement(of: token, named: "token")
            start = range.upperBound
        }
        return result + String(decoding: bytes[start...], as: UTF8.self)
    }

    private mutating func hint(_ place: String) {
        let hint = "\(place) looks like a secret"
        if hints.count < 20, !hints.contains(hint) { hints.append(hint) }
    }
}
