import CoreNetKit
package import CoreNetKitEssentials
import PushRegistration

struct KoreDevicePayload: Encodable, RawEncodable, DTOEncodable, Sendable {
    typealias Raw = Json
    typealias DTO = KoreDevicePayload
    let deviceId: String
    var osType = "ios"
}

/// The server's reply, in all the forms that it uses.
struct KoreReply: RawDecodable, DTODecodable, Sendable {
    typealias DTO = KoreReply
    /// `status` and `success`, if present; `nil` for a value that is not a Boolean.
    var flags: [Bool?] = []
    var hasError = false
    var errorCode: String?
    var message: String?

    static func from(raw: Json) throws -> KoreReply {
        // A response without content counts as `null`.
        let json = try Json.from(raw: raw)
        var entry = KoreReply()
        entry.flags = ["status", "success"].compactMap { json[$0] }.filter { !$0.isNull }.map(\.flag)
        let error = [json["error"], json["errors"]?[0]].compactMap(\.self).first(where: \.isProblem)
        entry.hasError = error != nil
        entry.errorCode = error?["code"].flatMap { $0.string ?? $0.number }
        entry.message = (error?["message"] ?? error?["msg"] ?? json["message"])?.string ?? error?.string
        return entry
    }

    static func from(dto: KoreReply) throws -> KoreReply {
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
        return dto
    }
}

extension Json {
    /// Whether an error member reports an error: servers also send empty ones.
    fileprivate var isProblem: Bool {
        if isNull || bool == false || string?.trimmed.isEmpty == true || double == 0 { return false }
        return array?.isEmpty != true && object?.isEmpty != true
    }
}

package enum KoreAction: String, Sendable {
    case subscribe
    case unsubscribe
}

struct KoreRoute: UrlRouteProvider, Sendable {
    let server: URL
    let paths: KoreConfiguration.Paths
    let action: KoreAction
    let userID: String

    func url() throws -> URL {
        switch paths {
        case .document: try server + "/api/users/\(segment: userID)/\(action.rawValue)"
        case .sdkNotifications: try server + "/api/users/\(segment: userID)/sdknotifications/\(action.rawValue)"
        }
    }
}

extension KoreConfiguration {
    package func url(for action: KoreAction, of userID: String) throws -> URL {
        try KoreRoute(server: server, paths: paths, action: action, userID: userID).url()
    }

    /// The builder of one request, complete except for its authorization.
    func builder(for action: KoreAction, of userID: String, client: Client) -> UrlChainsBuilder<KoreRoute> {
        let route = KoreRoute(server: server, paths: paths, action: action, userID: userID)
        let builder = UrlChainsBuilder<KoreRoute>(client: client.withoutErrorModel)
            .with(retry, at: .retry)
            // Both requests state the desired result, so repeating a POST is safe.
            .idempotencyKey()
            .set(deadline: deadline)
            // A redirect would send the device token to another server.
            .set(redirectLimit: 0)
        switch (action, requestFormat.subscribe, requestFormat.unsubscribe) {
        case (.subscribe, .json, _): return builder.route(.post, route)
        case (.subscribe, .form, _): return builder.route(.post, route).encode(as: .formUrl)
        case (.unsubscribe, _, .deleteJSON): return builder.route(.delete, route)
        case (.unsubscribe, _, .deleteQuery): return builder.route(.delete, route).encode(as: .urlQuery)
        case (.unsubscribe, _, .postOverride):
            return builder.route(.post, route).set(metadata: ["X-HTTP-Method-Override": "DELETE"])
        }
    }
}
