import CoreNetKit
import PushRegistration

/// The body of both requests.
struct KoreDeviceEntry: Encodable, RawEncodable, Sendable {
    typealias Raw = Json
    let deviceId: String
    let osType: String
}

/// The device of both requests.
struct KoreDevice: DTOEncodable, Sendable {
    let token: KoreDeviceToken

    func toDTO() -> KoreDeviceEntry { KoreDeviceEntry(deviceId: token.hex, osType: "ios") }
}

/// The server's reply, in all the forms that it uses.
struct KoreReplyEntry: RawDecodable, Sendable {
    /// `status` and `success`, if present; `nil` for a value that is not a Boolean.
    var flags: [Bool?] = []
    var hasError = false
    var errorCode: String?
    var message: String?

    static func from(raw: Json) throws -> KoreReplyEntry {
        // A response without content counts as `null`.
        let json = try Json.from(raw: raw)
        var entry = KoreReplyEntry()
        entry.flags = ["status", "success"].compactMap { json[$0] }.filter { !$0.isNull }.map(\.flag)
        let error = [json["error"], json["errors"]?[0]].compactMap(\.self).first(where: \.isProblem)
        entry.hasError = error != nil
        entry.errorCode = error?["code"].flatMap { $0.string ?? $0.number }
        entry.message = (error?["message"] ?? error?["msg"] ?? json["message"])?.string ?? error?.string
        return entry
    }
}

extension Json {
    /// Whether an error member reports an error: servers also send empty ones.
    fileprivate var isProblem: Bool {
        if isNull || bool == false || string?.trimmed.isEmpty == true || double == 0 { return false }
        return array?.isEmpty != true && object?.isEmpty != true
    }
}

/// A successful reply.
struct KoreReply: DTODecodable, Sendable {
    let message: String?

    static func from(dto: KoreReplyEntry) throws -> KoreReply {
        guard !dto.hasError, !dto.flags.contains(false) else {
            throw KorePushError(
                .rejected,
                "the server rejected the request with a success status",
                serverCode: dto.errorCode,
                serverMessage: dto.message
            )
        }
        guard !dto.flags.contains(nil) else {
            throw KorePushError(.invalidResponse, "status or success is neither yes nor no")
        }
        return KoreReply(message: dto.message)
    }
}
