import CoreNetKitHTTP
import CoreNetKitSystem

/// A server's challenge of the scheme Digest.
///
/// - SeeAlso: [RFC 7616, 3.3](https://www.rfc-editor.org/rfc/rfc7616#section-3.3)
struct DigestChallenge: Sendable, Hashable {
    enum Algorithm: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        var isSessionVariant: Bool { self == .md5Session || self == .sha256Session }

        func hash(_ text: String) -> String {
            switch self {
            case .md5, .md5Session: Hex.encode(MD5.digest(text.utf8))
            case .sha256, .sha256Session: Hex.encode(SHA256.digest(text.utf8))
            }
        }
    }

    let realm: String
    let nonce: String
    let opaque: String?
    /// `nil` if the server named none, which means MD5.
    let algorithm: Algorithm?
    /// Whether the server supports a count and a client nonce; the form of RFC 2069 has neither.
    let hasProtection: Bool
    let hashesUser: Bool
    /// Whether name and password were correct, and only the nonce was stale.
    let isStale: Bool

    /// The first supported challenge of a 401; other algorithms and `auth-int` alone are not supported.
    static func first(in headers: Headers) -> DigestChallenge? {
        headers[values: "WWW-Authenticate"].lazy.flatMap { challenges(in: $0) }
            .filter { $0.scheme.lowercased() == "digest" }
            .compactMap { DigestChallenge($0.parameters) }.first
    }

    /// Whether the next challenge continues this one: the same nonce, used in the same way.
    func continues(_ next: DigestChallenge) -> Bool {
        nonce == next.nonce && realm == next.realm && algorithm == next.algorithm
    }

    private init?(_ parameters: [String: String]) {
        guard let realm = parameters["realm"], let nonce = parameters["nonce"] else { return nil }
        let name = parameters["algorithm"]?.lowercased()
        let algorithm = Algorithm.allCases.first { $0.rawValue.lowercased() == name }
        if name != nil, algorithm == nil { return nil }
        let qualities = parameters["qop"]?.split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
        if let qualities, !qualities.contains("auth") { return nil }
        (self.realm, self.nonce) = (realm, nonce)
        opaque = parameters["opaque"]
        self.algorithm = algorithm
        hasProtection = qualities != nil
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    private static func challenges(in field: String) -> [(scheme: String, parameters: [String: String])] {
        var found: [(scheme: String, parameters: [String: String])] = []
        var scanner = FieldScanner(field)
        while true {
            while scanner.take(",") || scanner.take(" ") || scanner.take("\t") {}
            let word = scanner.text(upTo: " \t,=\"")
            // A syntax error: the rest is ignored.
            if word.isEmpty { return found }
            scanner.skipSpace()
            if let last = found.indices.last, scanner.take("=") {
                scanner.skipSpace()
                let value = scanner.next == UInt8(ascii: "\"") ? scanner.quoted() : scanner.text(upTo: ", \t")
                guard let value else { return found }
                found[last].parameters[word.lowercased()] = value
            } else {
                found.append((word, [:]))
            }
        }
    }
}
