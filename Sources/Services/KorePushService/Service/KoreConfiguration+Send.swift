import CoreNetKitEssentials
import CoreNetKit

extension KoreConfiguration {
    /// Sends one request and returns the server's reply.
    func send(_ request: KoreRecord.Request, of session: KoreSession, client: Client) async throws -> KoreReply {
        var builder = builder(for: request.action, of: session.userID, client: client)
        switch session.authorization {
        case .renewed(let tokens): builder = builder.authorize(with: tokens)
        case .fixed(let field, let expires):
            // A wrong clock must not keep a device subscribed: an unsubscription is tried all the same.
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
            // Already gone, according to the server itself: a gateway's 404 page does not say that.
            if request.action == .unsubscribe, let code = (error as? KorePushError)?.serverCode,
                goneCodes.contains(code)
            {
                return KoreReply(message: nil)
            }
            throw error
        }
    }
}

/// Adds the field of a token that is never renewed.
private struct KoreAuthorization: MetadataProvider {
    let field: String
    func metadata() -> Headers { ["Authorization": field] }
}
