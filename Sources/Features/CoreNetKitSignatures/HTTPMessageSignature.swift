import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP
public import CoreNetKitRecovery
import CoreNetKitSystem

/// HTTP Message Signatures: fields and parts of a request, signed with a key that the server knows.
///
/// A covered `date` or `content-digest` that the request lacks is added. Any other covered field that it lacks fails the
/// call with `invalidRequest`.
/// - SeeAlso: [RFC 9421](https://www.rfc-editor.org/rfc/rfc9421), [RFC 9530](https://www.rfc-editor.org/rfc/rfc9530)
public struct HTTPMessageSignature: Sendable {
    /// A key's id, and the function that signs with it.
    public struct Key: Sendable {
        let id: String
        let algorithm: String?
        let sign: @Sendable (Data) async throws -> Data

        /// Creates a key from a closure, for algorithms and key stores of others.
        ///
        /// - Parameters:
        ///   - id: The name by which the server knows the key; printable ASCII.
        ///   - algorithm: The registered name of the algorithm, such as `ed25519`; `nil` if it is not sent.
        ///   - sign: Returns the signature of bytes; its error is the cause of the call's `nodeFailed`.
        public init(id: String, algorithm: String? = nil, sign: @escaping @Sendable (Data) async throws -> Data) {
            (self.id, self.algorithm, self.sign) = (id, algorithm, sign)
        }

        /// A secret for HMAC-SHA-256 that the server knows by a name.
        public static func hmac(_ secret: Data, id: String, algorithm: String? = nil) -> Key {
            Key(id: id, algorithm: algorithm) { Data(ContentHash.hmac($0, key: secret).bytes) }
        }
    }

    /// The name of the signature in its two fields.
    public var label = "sig1"
    /// How long the signature is valid, in whole seconds; `nil` leaves that to the server.
    public var lifetime: Duration?
    /// The application for which the signature is meant.
    public var tag: String?
    /// Makes a value that the server accepts only once; `nil` for none.
    public var nonce: (@Sendable () -> String)?

    let origins: TokenRefresher.Origins
    private let key: Key
    private let components: [String]

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - components: What is covered, in this order: names of fields in lower case, `@method`, `@target-uri`,
    ///     `@authority`, `@scheme`, `@request-target`, `@path` and `@query`; without parameters.
    ///   - origins: The servers whose requests are signed; others get no signature.
    public init(_ key: Key, covering components: [String], origins: TokenRefresher.Origins) {
        (self.key, self.components, self.origins) = (key, components, origins)
    }
}

extension HTTPMessageSignature: RequestSigner {
    var problem: String? {
        let derived = ["@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query"]
        let isKnown = { derived.contains($0) || FieldCheck.isToken($0) && $0 == $0.lowercased() }
        if let name = components.first(where: { !isKnown($0) }) {
            return "the signature cannot cover '\(name)', only fields in lower case and \(derived)"
        }
        if Set(components).count < components.count { return "the signature covers a component twice" }
        if let lifetime, lifetime < .seconds(1) || lifetime > .forever {
            return "the signature's lifetime of \(lifetime) is below a second or above a hundred years"
        }
        let isLabelValid = label.utf8.allSatisfy(Set("abcdefghijklmnopqrstuvwxyz0123456789_-.*".utf8).contains)
        guard isLabelValid, label.first?.isLetter ?? false else {
            return "the signature's label '\(label)' is not of a-z, 0-9, '_', '-', '.' and '*', with a letter first"
        }
        let isPrintable = [key.id, key.algorithm ?? "", tag ?? ""].joined().utf8.allSatisfy { 0x20...0x7E ~= $0 }
        return isPrintable ? nil : "the signature's key, algorithm or tag is not printable ASCII"
    }

    func signed(_ request: TransportRequest, at date: Date) async throws -> TransportRequest {
        let target = try request.target()
        var request = request
        if components.contains("date"), !request.headers.contains("Date") {
            request.headers["Date"] = HTTPDate.format(date)
        }
        if components.contains("content-digest"), !request.headers.contains("Content-Digest") {
            request.headers["Content-Digest"] = "sha-256=:\(try await request.contentHash().base64):"
        }
        let parameters = signatureParameters(at: date)
        let lines = try components.map { "\"\($0)\": \(try value(of: $0, in: request, to: target))\n" }
        let signatureBase = "\(lines.joined())\"@signature-params\": \(parameters)"
        guard signatureBase.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw NetworkError.cannotSign("the signature covers text that is not ASCII: escape it, or do not cover it")
        }
        let signature = try await key.sign(Data(signatureBase.utf8)).base64EncodedString()
        // Both fields are dictionaries: other signatures of the request stay.
        request.headers.append("Signature-Input", "\(label)=\(parameters)")
        request.headers.append("Signature", "\(label)=:\(signature):")
        return request
    }

    private func value(of name: String, in request: TransportRequest, to target: RequestTarget) throws -> String {
        let scheme = target.isSecure ? "https" : "http"
        let pathAndQuery = target.path + (target.query.map { "?\($0)" } ?? "")
        switch name {
        case "@method": return request.method.rawValue
        case "@target-uri": return "\(scheme)://\(target.authority)\(pathAndQuery)"
        case "@authority", "host": return target.authority
        case "@scheme": return scheme
        case "@request-target": return pathAndQuery
        case "@path": return target.path
        case "@query": return "?\(target.query ?? "")"
        case "content-length" where request.body.data != nil: return "\(request.body.data?.count ?? 0)"
        default: break
        }
        guard request.headers.contains(name) else {
            throw NetworkError.cannotSign("the signature covers the field \(name), which the request does not have")
        }
        return request.headers[values: name].joined(separator: ", ")
    }

    private func signatureParameters(at date: Date) -> String {
        let created = date.milliseconds / 1000
        var text = "(\(components.map { "\"\($0)\"" }.joined(separator: " ")));created=\(created)"
        if let lifetime { text += ";expires=\(created + lifetime.wholeSeconds)" }
        let strings = [("nonce", nonce?()), ("alg", key.algorithm), ("keyid", key.id), ("tag", tag)]
        for case (let name, let value?) in strings {
            text += ";\(name)=\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        return text
    }
}
