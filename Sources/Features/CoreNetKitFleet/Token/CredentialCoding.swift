import CoreNetKitEssentials
import CoreNetKitRecovery

/// Encodes and decodes credentials of one type.
struct CredentialCoding: Sendable {
    let encode: @Sendable (any TokenCredential) throws -> Data
    let decode: @Sendable (Data) throws -> any TokenCredential

    /// Encodes credentials as JSON.
    init<Credential: TokenCredential & Codable>(_ type: Credential.Type) {
        encode = { credential in
            guard let own = credential as? Credential else { throw WrongCredential() }
            return try JSONEncoder().encode(own)
        }
        decode = { try JSONDecoder().decode(Credential.self, from: $0) }
    }

    /// Plain tokens.
    static let tokens = CredentialCoding(
        encode: { try JSONEncoder().encode(StoredToken($0.accessToken)) },
        decode: { try JSONDecoder().decode(StoredToken.self, from: $0).token }
    )

    private init(
        encode: @escaping @Sendable (any TokenCredential) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> any TokenCredential
    ) {
        (self.encode, self.decode) = (encode, decode)
    }

    private struct StoredToken: Codable {
        let value: String
        let expires: Date?

        init(_ token: AccessToken) { (value, expires) = (token.value, token.expires) }

        var token: AccessToken { AccessToken(value, expires: expires) }
    }

    private struct WrongCredential: Error, CustomStringConvertible {
        var description: String { "the type of the credential is not that of the refresher" }
    }
}
