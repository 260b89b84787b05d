import CoreNetKitSystem

/// Names under which secrets stand: of query and form items, JSON members and header fields.
///
/// Names compare without regard to case, `-`, `_` and percent-encoding; each part of a bracketed or dotted name counts,
/// so that `user[password]`, `token[]` and `%74oken` are what they are to the server.
package enum SecretName {
    /// Names that mean a secret wherever they stand.
    private static let strong: Set<String> = [
        "accesskey", "accesstoken", "apikey", "assertion", "authorization", "awsaccesskeyid", "clientassertion",
        "clientsecret", "codeverifier", "credential", "credentials", "idtoken", "jwt", "otp", "passcode", "passphrase",
        "password", "passwd", "privatekey", "pwd", "refreshtoken", "secret", "sessionid", "sessiontoken", "sig",
        "signature", "token", "totp", "xamzcredential", "xamzsecuritytoken", "xamzsignature", "xapikey",
        "xgoogcredential", "xgoogsignature",
    ]

    /// Names that mean a secret in a query or form, and are harmless words in a JSON document.
    private static let weak: Set<String> = [
        "auth", "code", "deviceid", "identifier", "key", "session", "sid", "state",
    ]

    private static let tellingEnds = ["token", "password", "passwd", "secret", "apikey", "signature", "privatekey"]

    /// How sure a name is to stand for a secret.
    package enum Strength: Sendable {
        case none, weak, strong
    }

    /// How sure the name of an item or a member is to stand for a secret.
    package static func strength(_ name: some StringProtocol) -> Strength {
        var strength = Strength.none
        for part in parts(of: name) {
            if isStrong(part) { return .strong }
            if weak.contains(part) { strength = .weak }
        }
        return strength
    }

    /// Whether a header field's name stands for a secret; those of RFC 9110 and the usual ones, and telling names.
    package static func isField(_ name: String) -> Bool {
        Headers.isSecret(name) || isStrong(plain(name.utf8))
    }

    private static func isStrong(_ part: String) -> Bool {
        guard part.utf8.count >= 3 else { return false }
        if strong.contains(part) || part.hasPrefix("saml") { return true }
        // The place in a list of pages is called a token too.
        return tellingEnds.contains { part.hasSuffix($0) } && !part.hasSuffix("pagetoken")
    }

    /// The lower-case parts between brackets and dots, without `-` and `_`.
    private static func parts(of name: some StringProtocol) -> [String] {
        var decoded = String(name)
        // Twice, for servers that decode twice.
        for _ in 0..<2 where decoded.utf8.contains(UInt8(ascii: "%")) {
            decoded = PercentEncoding.decode(decoded, plusIsSpace: true)
        }
        return decoded.utf8.split { "[].".utf8.contains($0) }.map { plain($0) }
    }

    private static func plain(_ bytes: some Sequence<UInt8>) -> String {
        let letters = bytes.lazy
            .filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") && $0 > 0x20 }
            .map { Headers.lowered($0) }
        return String(decoding: Array(letters), as: UTF8.self)
    }
}

/// Whether a value looks like a secret, whatever its name.
package enum SecretLook {
    private static let prefixes = [
        "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk_live_", "sk_test_", "rk_live_", "xoxb-", "xoxp-", "AKIA",
        "AIza", "ya29.",
    ]

    /// A JSON Web Token, or a key of a well-known form.
    package static func isToken(_ value: some StringProtocol) -> Bool {
        let bytes = value.utf8
        guard bytes.count >= 16 else { return false }
        if value.hasPrefix("eyJ") { return bytes.count { $0 == UInt8(ascii: ".") } >= 2 }
        return prefixes.contains { value.hasPrefix($0) }
    }

    /// A token, or a long text of random letters of both cases and digits.
    package static func isSecret(_ value: some StringProtocol) -> Bool {
        if isToken(value) { return true }
        guard value.utf8.count >= 32 else { return false }
        var kinds: UInt8 = 0
        var seen: (low: UInt64, high: UInt64) = (0, 0)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): kinds |= 1
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): kinds |= 2
            case UInt8(ascii: "0")...UInt8(ascii: "9"): kinds |= 4
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "-"):
                break
            default: return false
            }
            if byte < 64 { seen.low |= 1 << UInt64(byte) } else { seen.high |= 1 << UInt64(byte & 63) }
        }
        return kinds == 7 && seen.low.nonzeroBitCount + seen.high.nonzeroBitCount >= 16
    }
}
