import CoreNetKitSystem

/// What a name reveals about its value.
enum SecretName {
    enum Place: Int {
        case field, item, member
    }

    /// How strongly a name suggests a secret; the kind of the value decides the rest.
    enum Weight: Comparable {
        case none
        /// The name contains a word for secrets, but the name is about something else.
        case doubt
        /// A word that means a secret if it comes last and its value is a text: `session`, `key`, `signature`.
        case ending
        /// The same; texts nested in its value are secret too: `token`, `pass`, `pin`.
        case token
        /// A secret, whatever its value.
        case strong

        var verdict: SecretRules.Verdict {
            switch self {
            case .none: .harmless
            case .doubt: .inDoubt
            case .ending, .token, .strong: .secret
            }
        }
    }

    /// Lower case, without word separators.
    static func plain(_ name: some StringProtocol) -> String {
        String(decoding: name.utf8.filter { isWord($0) }.map { Headers.lowered($0) }, as: UTF8.self)
    }

    /// The whole name, and each part between brackets and dots: `user[ssn]` is `ssn` to the server.
    static func spellings(_ name: String) -> [String] {
        [plain(name)] + name.utf8.split { $0 == dot || $0 == open || $0 == close }.map { plain(Substring($0)) }
    }

    /// Without percent-encoding, also of servers that decode twice.
    static func decoded(_ name: some StringProtocol) -> String {
        var decoded = String(name)
        for _ in 0..<2 where decoded.utf8.contains(UInt8(ascii: "%")) || decoded.utf8.contains(UInt8(ascii: "+")) {
            decoded = PercentEncoding.decode(decoded, plusIsSpace: true)
        }
        return decoded
    }

    static func isNeverHarmless(_ name: String) -> Bool {
        let name = plain(name)
        return SecretTable.neverHarmless.contains { plain($0) == name }
    }

    static func weight(_ name: String, in place: Place) -> Weight {
        var name = name
        return name.withUTF8 { weight($0, in: place) }
    }

    static func weight(_ name: UnsafeBufferPointer<UInt8>, in place: Place) -> Weight {
        guard !name.isEmpty else { return .none }
        // Called for each field and item of each request with a cache: most have one of few names.
        switch place {
        case .field: if SecretTable.commonFields.contains(name) { return .none }
        case .item: if SecretTable.commonItems.contains(name) { return .none }
        case .member: break
        }
        let weight = withParts(of: name) { $0.weight(in: place) }
        guard weight < .ending, place == .item else { return weight }
        // Names that mean a secret only in a query or form: `code`, `state`.
        let isSecret = name.split { $0 == dot || $0 == open || $0 == close }.contains {
            SecretTable.words[SecretTable.hash($0.lazy.filter { isWord($0) })].contains(.item)
        }
        return isSecret ? .ending : weight
    }

    private static func withParts<Result>(
        of name: UnsafeBufferPointer<UInt8>,
        _ body: (SecretParts) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.count) { letters in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: name.count + 1) { ends in
                body(SecretParts(of: name, letters, ends))
            }
        }
    }

    /// Whether a name describes its container: `type`, `expires_in`.
    static func isAbout(_ name: String) -> Bool { lastRoles(name).contains(.about) }

    /// Whether a name holds the secret in an object that is named for one: `session.id`.
    static func isInside(_ name: String) -> Bool { lastRoles(name).contains(.inside) }

    private static func lastRoles(_ name: String) -> SecretTable.Roles {
        var name = name
        return name.withUTF8 { $0.isEmpty ? [] : withParts(of: $0) { $0.lastRoles } }
    }

    static func isWord(_ byte: UInt8) -> Bool { SecretPattern.isAlphanumeric(byte) || byte >= 0x80 }

    private static let dot = UInt8(ascii: ".")
    private static let open = UInt8(ascii: "[")
    private static let close = UInt8(ascii: "]")
}

/// The words of a name in lower case, without the numbers after them: `passwordConfirmation2` is two words.
private struct SecretParts {
    private let letters: UnsafeMutableBufferPointer<UInt8>
    private let ends: UnsafeMutableBufferPointer<Int>
    private var count = 0

    init(
        of name: UnsafeBufferPointer<UInt8>,
        _ letters: UnsafeMutableBufferPointer<UInt8>,
        _ ends: UnsafeMutableBufferPointer<Int>
    ) {
        (self.letters, self.ends) = (letters, ends)
        var length = 0
        for index in name.indices {
            guard SecretName.isWord(name[index]) else {
                close(&length)
                continue
            }
            if index > 0, Self.begins(at: index, of: name) { close(&length) }
            letters[length] = Headers.lowered(name[index])
            length += 1
        }
        close(&length)
    }

    /// Whether a new word begins with a capital letter: `accessToken`, and the `K` of `APIKey`.
    private static func begins(at index: Int, of name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard isUpper(name[index]), SecretName.isWord(name[index - 1]) else { return false }
        guard isUpper(name[index - 1]) else { return true }
        return index + 1 < name.count && isLower(name[index + 1])
    }

    private static func isUpper(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }
    private static func isLower(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }

    private mutating func close(_ length: inout Int) {
        let start = count == 0 ? 0 : ends[count - 1]
        while length > start, letters[length - 1] >= 0x30, letters[length - 1] <= 0x39 { length -= 1 }
        guard length > start else { return }
        ends[count] = length
        count += 1
    }

    private func roles(_ first: Int, _ last: Int) -> SecretTable.Roles {
        let start = first == 0 ? 0 : ends[first - 1]
        return SecretTable.words[SecretTable.hash(letters[start..<ends[last]])]
    }

    var lastRoles: SecretTable.Roles { count == 0 ? [] : roles(count - 1, count - 1) }

    /// The roles of all runs of words that end at one; `accessToken` is also `accesstoken`.
    private func roles(endingAt last: Int) -> SecretTable.Roles {
        (max(0, last - 3)...last).reduce(into: []) { $0.formUnion(roles($1, last)) }
    }

    func weight(in place: SecretName.Place) -> SecretName.Weight {
        guard count > 0 else { return .none }
        // The subject of the name: `tokenValue` and `signature-sha256` are about token and signature.
        var last = count - 1
        while last > 0, roles(last, last).contains(.filling) { last -= 1 }
        let ending = roles(endingAt: last)
        if ending.contains(.harmless) { return .none }
        // `password_changed_at` is about a time.
        if last > 0, roles(last, last).contains(.about), !ending.contains(.secret) { return .none }
        var all = ending
        for index in 0..<count where index != last { all.formUnion(roles(endingAt: index)) }
        if all.contains(.secret) { return .strong }
        if ending.contains(.token) { return .token }
        if ending.contains(.ending) { return .ending }
        if place == .member {
            let isSecret = ending.contains(.member) || ending.contains(.memberEnding) && last > 0
            return isSecret ? .ending : .none
        }
        if ending.contains(.outside) || ending.contains(.memberEnding) { return .ending }
        if all.contains(.doubt) { return .doubt }
        return place == .field && (all.contains(.user) || roles(last, last).contains(.userEnding)) ? .doubt : .none
    }
}
