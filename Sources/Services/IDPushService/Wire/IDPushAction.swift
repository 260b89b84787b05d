import CoreNetKit
import CoreNetKitEssentials
import PushRegistration

/// An action at IDPush.
public enum IDPushAction: Sendable, Hashable {
    /// Registers the device with its token: hex digits, as ``PushToken`` reads them.
    case addDevice(token: String)
    /// Lets the device receive notifications.
    case subscribe
    /// Stops notifications to the device.
    case unsubscribe
    /// Changes tags; tags that are not named stay, `nil` removes a tag.
    case setTags(tags: [String: TagValue])
    /// Changes any other parameter of the device.
    case editDevice(parameters: [String: TagValue])

    /// Registers the device.
    public static func addDevice(_ token: PushToken) -> IDPushAction { .addDevice(token: token.hex) }

    /// The most tags in one call.
    public static let tagLimit = 100
    /// The maximum number of bytes of tags in one call, as JSON.
    public static let tagSizeLimit = 1024
    /// The parameters that belong to the service or to another action.
    public static let reservedParameters: Set<String> = [
        "project_id", "player_id", "device_type", "notification_types", "identifier", "tags",
    ]

    /// The parameters that name the device's user; they are removed when the user signs out.
    static let userParameters = ["external_user_id", "external_user_id_auth_hash"]

    /// The action with its values in canonical form, as it is stored and sent.
    func validated() throws(IDPushError) -> IDPushAction {
        switch self {
        case .addDevice(let token): return .addDevice(try PushToken(hex: token))
        case .subscribe, .unsubscribe: return self
        case .setTags(let tags):
            let tags = try Self.normalized(tags)
            guard tags.count <= Self.tagLimit else { throw .tooManyTags(tags.count) }
            let size = Self.text(of: tags).utf8.count
            guard size <= Self.tagSizeLimit else { throw .tagsTooLarge(bytes: size) }
            return .setTags(tags: tags)
        case .editDevice(let parameters):
            if let key = parameters.keys.sorted().first(where: Self.reservedParameters.contains) {
                throw .reservedParameter(key)
            }
            return .editDevice(parameters: try Self.normalized(parameters))
        }
    }

    private static func normalized(_ values: [String: TagValue]) throws(IDPushError) -> [String: TagValue] {
        var result: [String: TagValue] = [:]
        for key in values.keys.sorted() {
            guard !key.trimmed.isEmpty, let value = values[key]?.normalized else { throw .unsupportedValue(key: key) }
            result[key] = value
        }
        return result
    }

    /// Tags as JSON with sorted keys, so that equal tags give equal bytes.
    static func text(of tags: [String: TagValue]) -> String {
        (try? Json(tags.mapValues(\.json)).text(sortedKeys: true)) ?? "{}"
    }

    /// The parameters of the request, as the document lists them; without `player_id` if there is no id.
    func parameters(_ configuration: IDPushConfiguration, playerID: String?, isOptedOut: Bool) -> [String: TagValue] {
        var result = configuration.parameters
        switch self {
        case .addDevice(let token):
            result["identifier"] = .string(token)
            result["notification_types"] = isOptedOut ? -2 : 1
            result["test_type"] = configuration.environment.testType.map { .int($0) }
            return result
        case .subscribe: result["notification_types"] = 1
        case .unsubscribe: result["notification_types"] = -2
        case .setTags(let tags): result["tags"] = .string(Self.text(of: tags))
        case .editDevice(let parameters): result.merge(parameters) { _, own in own }
        }
        result["player_id"] = playerID.map { .string($0) }
        return result
    }

    func route(_ base: URL?, playerID: String?) -> IDPushRoute {
        if case .addDevice = self { .addDevice(base) } else { .editDevice(base, playerID: playerID ?? "") }
    }
}

extension IDPushAction: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The action without its token and values.
    public var description: String {
        switch self {
        case .addDevice(let token): "addDevice(token: \(token.redactedToken))"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .setTags(let tags): "setTags(\(tags.keys.sorted().joined(separator: ", ")))"
        case .editDevice(let parameters): "editDevice(\(parameters.keys.sorted().joined(separator: ", ")))"
        }
    }

    /// The action without its token and values.
    public var debugDescription: String { description }
    /// The action without its token and values.
    public var customMirror: Mirror { Mirror(self, children: ["action": description]) }
}
