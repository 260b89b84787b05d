import CoreNetKit
import CoreNetKitEssentials
import PushRegistration

/// The server's reply; internal, unlike ``IDPushReply``.
struct IDPushReplyPayload: Decodable, RawDecodable, DTODecodable, Sendable {
    typealias Raw = Json
    typealias DTO = IDPushReplyPayload

    let status: Json?
    let message: String?
    let player_id: String?

    static func from(dto: IDPushReplyPayload) throws -> IDPushReplyPayload {
        guard let status = dto.status else { throw IDPushError.invalidResponse(.missingField("status")) }
        guard let isSuccess = status.flag else { throw IDPushError.invalidResponse(.malformed) }
        guard isSuccess else { throw IDPushError.rejected(status: 200, message: dto.message) }
        return dto
    }

    var reply: IDPushReply {
        IDPushReply(playerID: player_id.flatMap { $0.trimmed.isEmpty ? nil : $0.trimmed }, message: message)
    }
}
