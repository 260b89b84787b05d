import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Name and password of the scheme Digest, and the known challenges of servers.
final class DigestCredentials: Sendable {
    private struct KnownServer {
        let challenge: DigestChallenge
        /// The cnonce of the first request; `-sess` algorithms derive the session key from it.
        let cnonce: String
        var count: UInt32
    }

    private static let serverLimit = 256

    let origins: TokenRefresher.Origins
    private let user: String
    private let password: String
    private let makeCnonce: @Sendable () -> String
    private let known = Locked<[Origin: KnownServer]>([:])

    init(
        user: String,
        password: String,
        origins: TokenRefresher.Origins,
        cnonce makeCnonce: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        (self.user, self.password, self.origins) = (user, password, origins)
        self.makeCnonce = makeCnonce
    }

    /// The `Authorization` field for a server with a known challenge, and the challenge's nonce, by which the caller
    /// recognizes a repeated challenge; `nil` for any other server.
    func authorization(for request: TransportRequest) -> (field: String, nonce: String)? {
        let origin = Origin(request.url)
        let next = known.withLock { known -> KnownServer? in
            guard var server = known[origin] else { return nil }
            // After the last count, a new nonce is needed.
            guard server.count < .max else {
                known[origin] = nil
                return nil
            }
            server.count += 1
            known[origin] = server
            return server
        }
        return next.map { (field(for: request, $0), $0.challenge.nonce) }
    }

    /// Stores a server's challenge; the count of a nonce continues, because a server accepts each number only once.
    func store(_ challenge: DigestChallenge, for request: TransportRequest, countedTo count: UInt32 = 0) {
        let (origin, cnonce) = (Origin(request.url), makeCnonce())
        known.withLock { known in
            let same = known[origin].flatMap { $0.challenge.continues(challenge) ? $0 : nil }
            if same == nil, known.count >= Self.serverLimit { known = [:] }
            known[origin] = KnownServer(
                challenge: challenge,
                cnonce: same?.cnonce ?? cnonce,
                count: max(same?.count ?? 0, count)
            )
        }
    }

    func forgetServer(of request: TransportRequest) { known.withLock { $0[Origin(request.url)] = nil } }

    // RFC 7616, 3.4.
    private func field(for request: TransportRequest, _ known: KnownServer) -> String {
        let (challenge, count) = (known.challenge, known.count)
        let algorithm = challenge.algorithm ?? .md5
        let (path, query) = (request.url.path(percentEncoded: true), request.url.query(percentEncoded: true))
        let target = (path.isEmpty ? "/" : path) + (query.map { "?\($0)" } ?? "")
        // The session key is that of the first request (3.4.2): the cnonce stays, and the count distinguishes requests.
        let cnonce = algorithm.isSessionVariant ? known.cnonce : makeCnonce()
        var secret = algorithm.hash("\(user):\(challenge.realm):\(password)")
        if algorithm.isSessionVariant { secret = algorithm.hash("\(secret):\(challenge.nonce):\(cnonce)") }
        let message = algorithm.hash("\(request.method):\(target)")
        let number = Hex.encode(withUnsafeBytes(of: count.bigEndian) { Array($0) })
        let proof =
            challenge.hasProtection
            ? algorithm.hash("\(secret):\(challenge.nonce):\(number):\(cnonce):auth:\(message)")
            : algorithm.hash("\(secret):\(challenge.nonce):\(message)")
        var parts = [
            userPart(challenge, algorithm), "realm=\(Self.quoted(challenge.realm))",
            "nonce=\(Self.quoted(challenge.nonce))", "uri=\(Self.quoted(target))", "response=\"\(proof)\"",
        ]
        if let algorithm = challenge.algorithm { parts.append("algorithm=\(algorithm.rawValue)") }
        if challenge.hasProtection { parts.append("qop=auth, nc=\(number)") }
        if challenge.hasProtection || algorithm.isSessionVariant { parts.append("cnonce=\(Self.quoted(cnonce))") }
        if let opaque = challenge.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if challenge.hashesUser { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    private func userPart(_ challenge: DigestChallenge, _ algorithm: DigestChallenge.Algorithm) -> String {
        if challenge.hashesUser { return "username=\"\(algorithm.hash("\(user):\(challenge.realm)"))\"" }
        if user.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return "username=\(Self.quoted(user))" }
        return "username*=UTF-8''\(PercentEncoding.encode(user, as: .component))"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}

extension DigestCredentials: CustomStringConvertible, DescriptionOnly {
    var description: String { "DigestCredentials(<redacted>)" }
}
