import CoreNetKitEssentials
import CoreNetKit

extension KoreConfiguration {
    /// Sends one request and returns the server's reply.
    func send(_ request: KoreRecord.Request, of session: KoreSession, client: Client) async throws -> KoreReply {
        var builder = builder(for: request.action, of: session.userID, client: client)
        switch session.authorization {
        case .renewed(let tokens): builder = builder.authorize(with: tokens)
        case .fixed(let field, let expires):
            // An unsubscription is tried even with an expired token, because a wrong clock must not keep a device subscribed.
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
            // The server itself says that the device is gone; a gateway's 404 page has no such code.
            if request.action == .unsubscribe, let code = (error as? KorePushError)?.serverCode,
                goneCodes.contains(code)
            {
                return KoreReply(message: nil)
            }
            throw error
        }
    }
}

/// Adds the `Authorization` field of a token that is never renewed.
private struct KoreAuthorization: MetadataProvider {
    let field: String
    func metadata() -> Headers { ["Authorization": field] }
}
