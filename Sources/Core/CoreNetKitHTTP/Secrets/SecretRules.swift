/// Which header fields, query and form items and JSON or XML members are secret: the only place that decides this.
///
/// Names are compared part by part, where parts end at punctuation and changes of case: `X-Vault-Token`, `vaultToken` and
/// `user[vault_token]` are one name, and `tokenizer` is another. A client's rules apply to each of its calls;
/// standalone values, such as a printed `Headers` or URL, use ``standard``.
///
/// ```swift
/// let rules = SecretRules.standard.adding(fields: ["X-Corp-Id"], members: ["ssn"])
/// ```
///
/// | verdict | crosses origins | cache | log, archives, tapes, `print` | outbox |
/// |---|---|---|---|---|
/// | secret | no | separate, on disk only in a named partition | left out | refused |
/// | in doubt | no | separate, on disk only in a named partition | shown | stored |
/// | harmless | yes | shared, on disk | shown | stored |
/// | harmless, with a value that looks like credentials | no | not stored | left out | refused if it is a token |
public struct SecretRules: Sendable, Hashable, CustomStringConvertible {
    package enum Verdict: Sendable, Comparable { case harmless, inDoubt, secret }

    /// Additional names, in the form of ``SecretName/plain(_:)``.
    struct Names: Sendable, Hashable {
        var added: Set<String> = []
        var exempted: Set<String> = []

        func verdict(_ name: String) -> Verdict? {
            if added.isEmpty, exempted.isEmpty { return nil }
            let names = SecretName.spellings(name)
            if names.contains(where: added.contains) { return .secret }
            return names.contains(where: exempted.contains) ? .harmless : nil
        }
    }

    /// Names by place; `nil` for the standard rules, so that carrying them costs nothing.
    let custom: [Names]?

    private func own(_ place: SecretName.Place) -> Names? { custom?[place.rawValue] }

    /// The rules without additional names.
    public static let standard = SecretRules(custom: nil)

    package var isStandard: Bool { custom == nil }

    /// The version of the standard names, to recognise data that was written with another one.
    package static let version = 2

    /// Rules with more secret names.
    ///
    /// - Parameters:
    ///   - fields: Names of header fields.
    ///   - items: Names of items of queries, forms and paths (`;name=value`).
    ///   - members: Names of JSON and XML members.
    /// - Returns: A changed copy; a name that was exempted before is secret again.
    public func adding(fields: [String] = [], items: [String] = [], members: [String] = []) -> SecretRules {
        changed([fields, items, members]) { names, more in
            names.added.formUnion(more)
            names.exempted.subtract(more)
        }
    }

    /// Rules by which some names are harmless.
    ///
    /// `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie` cannot be: calls of such a client fail with
    /// `invalidChain`, and the fields stay secret. The names are of the kinds of ``adding(fields:items:members:)``.
    public func exempting(fields: [String] = [], items: [String] = [], members: [String] = []) -> SecretRules {
        changed([fields, items, members]) { names, more in
            names.added.subtract(more)
            names.exempted.formUnion(more)
        }
    }

    private func changed(_ names: [[String]], _ change: (inout Names, [String]) -> Void) -> SecretRules {
        var custom = custom ?? [Names(), Names(), Names()]
        for (place, names) in names.enumerated() { change(&custom[place], names.map(SecretName.plain)) }
        return SecretRules(custom: custom)
    }

    package var problem: String? {
        guard let exempted = own(.field)?.exempted else { return nil }
        return SecretTable.neverHarmless.first { exempted.contains(SecretName.plain($0)) }.map {
            "\($0) carries credentials and cannot be exempted from the rules of secrets"
        }
    }

    /// The number of additional names; the names themselves could reveal what a company keeps secret.
    public var description: String {
        guard let custom else { return "standard" }
        let (added, exempted) = custom.reduce((0, 0)) { ($0.0 + $1.added.count, $0.1 + $1.exempted.count) }
        return "standard, \(added) added, \(exempted) exempted"
    }

    package func verdict(field name: String) -> Verdict {
        if let own = own(.field)?.verdict(name) {
            return own == .harmless && SecretName.isNeverHarmless(name) ? .secret : own
        }
        return SecretName.weight(name, in: .field).verdict
    }

    /// Whether a field is one of those in nearly all requests, and its value reveals nothing about the caller.
    package func isCommon(field name: String) -> Bool {
        // Without a copy of the text: most fields have one of few names.
        custom == nil && name.utf8.withContiguousStorageIfAvailable { SecretTable.commonFields.contains($0) } == true
    }

    /// Whether a field reveals nothing about the caller, by its name and its value.
    package func isHarmless(field name: String, value: String) -> Bool {
        isCommon(field: name) || verdict(field: name) == .harmless && !isCredential(field: name, value: value)
    }

    /// Whether the value of a field with a harmless name looks like credentials.
    ///
    /// A token of a known form counts under any name except the most common ones and those that the client has exempted; a
    /// long random text only under an unknown name.
    package func isCredential(field name: String, value: String) -> Bool {
        guard value.utf8.count >= SecretPattern.shortestSchemed else { return false }
        var name = name
        if name.withUTF8({ SecretTable.commonFields.contains($0) }) || own(.field)?.verdict(name) == .harmless {
            return false
        }
        return SecretPattern.hasToken(value) || SecretPattern.isOpaque(value) && !SecretName.isHarmlessField(name)
    }

    package func verdict(item name: some StringProtocol) -> Verdict {
        let name = SecretName.decoded(name)
        return own(.item)?.verdict(name) ?? SecretName.weight(name, in: .item).verdict
    }

    /// Whether the bytes of a query plainly show that its names are harmless, and that no value contains another URL.
    ///
    /// It may be `false` for harmless items, too: then they have to be checked one by one.
    package func isPlainlyHarmless(query: UnsafeBufferPointer<UInt8>) -> Bool {
        guard custom == nil else { return false }
        var index = 0
        while index < query.count {
            let start = index
            while index < query.count, !Self.isMark(query[index]) { index += 1 }
            if index < query.count, query[index] == UInt8(ascii: "=") {
                let name = UnsafeBufferPointer(rebasing: query[start..<index])
                guard SecretName.weight(name, in: .item) == .none else { return false }
                if SecretPattern.mayBegin(at: index + 1, of: query) { return false }
                // Inside a value these are no longer marks.
                repeat { index += 1 } while index < query.count && Self.isValue(query[index])
            }
            guard index == query.count || query[index] == UInt8(ascii: "&") else { return false }
            index += 1
        }
        return true
    }

    private static func isValue(_ byte: UInt8) -> Bool {
        !isMark(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "+")
    }

    /// The ends of names and items, and the bytes that occur in encoded texts, nested URLs and documents.
    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: "+"), UInt8(ascii: "%"), UInt8(ascii: "?"),
            UInt8(ascii: "#"), UInt8(ascii: ";"), UInt8(ascii: "@"), UInt8(ascii: "{"):
            true
        default: false
        }
    }

    /// How strongly the name of a JSON or XML member suggests a secret; its value decides the rest.
    func weight(member name: String) -> SecretName.Weight {
        switch own(.member)?.verdict(name) {
        case .harmless: .none
        case .secret, .inDoubt: .strong
        case nil: SecretName.weight(name, in: .member)
        }
    }

    /// The verdict on the name of a member whose value is a text.
    package func verdict(member name: String) -> Verdict { weight(member: name).verdict }
}
