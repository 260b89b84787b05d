import CoreNetKitEssentials
import CoreNetKit

extension KoreConfiguration {
    /// Sends one request, and gives what the server said.
    func send(_ request: KoreRecord.Request, of session: KoreSession, client: Client) async throws -> KoreReply {
        var builder = builder(for: request.action, of: session.userID, client: client)
        switch session.authorization {
        case .renewed(let tokens): builder = builder.authorize(with: tokens)
        case .fixed(let field, let expires):
            // A clock that is wrong must not keep a device subscribed: an unsubscription is tried all the same.
            if let expires, expires <= Date(), request.action == .subscribe {
                throw KorePushError(.tokenExpired, "the access token has expired and there is no way to renew it")
            }
            builder = builder.authorize(with: nil).add(provider: KoreAuthorization(field: field))
        }
        let chain: Chain<KoreDevice, KoreReply> = builder.build()
        do {
            return try await chain.process(KoreDevice(token: KoreDeviceToken(hex: request.hex)))
        } catch {
            let error = KorePushError.wrapping(error)
            // Gone already, by the server's own word: a page of a gateway with status 404 says nothing of the kind.
            if request.action == .unsubscribe, let code = (error as? KorePushError)?.serverCode,
                goneCodes.contains(code)
            {
                return KoreReply(message: nil)
            }
            throw error
        }
    }
}

/// Adds the field of a token that nobody renews.
private struct KoreAuthorization: MetadataProvider {
    let field: String
    func metadata() -> Headers { ["Authorization": field] }
}
