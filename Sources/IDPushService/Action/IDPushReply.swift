import CoreNetKit

/// The parameters of one request: their own entry, with every value as text.
struct IDPushParameters: RawEncodable, DTOEncodable, Sendable {
    typealias Raw = Json
    typealias DTO = IDPushParameters

    let values: [String: TagValue]

    func toRaw() -> Json { Json(values.mapValues { Json($0.formText) }) }
}

/// What the server answers.
struct IDPushReplyEntry: Decodable, RawDecodable, Sendable {
    typealias Raw = Json

    /// A bool as servers write it: `1`, `true`, `"1"`, `1.0`.
    struct Flag: Decodable, Sendable {
        let isSet: Bool

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let bool = try? value.decode(Bool.self) {
                isSet = bool
            } else if let number = try? value.decode(Double.self) {
                isSet = number == 1
            } else {
                isSet = ["1", "1.0", "true"].contains(try value.decode(String.self).trimmed.lowercased())
            }
        }
    }

    let status: Flag?
    let message: String?
    let player_id: String?
}

/// What came of an action.
public struct IDPushReply: Sendable, Hashable {
    /// The id of the device at IDPush.
    public var playerID: String?
    /// What the server said, where it said something; `nil` also when nothing had to be sent.
    public var message: String?

    /// Creates a reply, for tests of what is built on it.
    public init(playerID: String?, message: String? = nil) {
        self.playerID = playerID
        self.message = message
    }
}

extension IDPushReply {
    /// The model of a reply, apart from ``IDPushReply`` so that the entry stays internal.
    struct Received: DTODecodable, Sendable {
        typealias DTO = IDPushReplyEntry
        let reply: IDPushReply

        static func from(dto: IDPushReplyEntry) throws -> Received {
            guard let status = dto.status else { throw IDPushError.invalidResponse(.missingField("status")) }
            guard status.isSet else { throw IDPushError.rejected(status: 200, message: dto.message) }
            let playerID = dto.player_id.flatMap { $0.trimmed.isEmpty ? nil : $0.trimmed }
            return Received(reply: IDPushReply(playerID: playerID, message: dto.message))
        }
    }
}
