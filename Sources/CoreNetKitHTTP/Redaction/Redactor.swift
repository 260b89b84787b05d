/// Leaves secrets out of one thing after another, and remembers what it has met.
package struct Redactor: Sendable {
    /// What stands in a secret's place.
    package enum Style: Sendable {
        /// Always the same word.
        case constant
        /// A numbered placeholder, the same one for the same secret, so that a flow stays readable and comparable.
        case numbered
    }

    /// What the same word is.
    package static let word = "REDACTED"

    /// Values that looked like a secret under a name that does not tell: where they stood.
    package private(set) var hints: [String] = []
    private let style: Style
    private var numbers: [String: [String: Int]] = [:]

    package init(_ style: Style = .constant) { self.style = style }

    /// What stands in a secret's place.
    ///
    /// - Parameters:
    ///   - value: The secret.
    ///   - name: What it is called.
    /// - Returns: Letters, digits and `-` only, braces around them for a numbered one.
    package mutating func replacement(of value: some StringProtocol, named name: some StringProtocol) -> String {
        guard style == .numbered else { return Self.word }
        let kind = String(decoding: name.utf8.map(Self.plain), as: UTF8.self)
        let value = String(value)
        let number = numbers[kind]?[value] ?? (numbers[kind]?.count ?? 0) + 1
        numbers[kind, default: [:]][value] = number
        return "{{\(kind)-\(number)}}"
    }

    /// The same, as it may stand in a URL.
    mutating func urlReplacement(of value: some StringProtocol, named name: some StringProtocol) -> String {
        let text = replacement(of: value, named: name)
        return style == .constant ? text : "%7B%7B\(text.dropFirst(2).dropLast(2))%7D%7D"
    }

    mutating func hint(_ place: String) {
        let hint = "\(place) looks like a secret"
        if hints.count < 20, !hints.contains(hint) { hints.append(hint) }
    }

    private static func plain(_ byte: UInt8) -> UInt8 {
        let lowered = Headers.lowered(byte)
        switch lowered {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): return lowered
        default: return UInt8(ascii: "-")
        }
    }
}
