import CoreNetKit
import CoreNetKitChain
public import CoreNetKitEssentials
public import IDPushService

// The names of document 000, the user's specification, in its spelling. Those that are private there are readable here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The document's name for the errors of `Setup`.
public typealias IDPushConfigureError = IDPushError

/// The document's name for the errors of an action.
public typealias IDPushActionError = IDPushError

extension IDPush {
    /// The key of the stored player id.
    public static let kUserDefaults_PreviousPlayerID = originalPlayerIDKey

    /// The server's address.
    public static let BaseURL = "https://idpush.top/api/v1/"

    /// The paths below the address.
    public static let Routes = (addDevice: "device/add", editDevice: "device/edit/")

    /// The project of the façade, empty before `Setup`.
    public static var ProjectID: String { shared?.configuration.projectID ?? "" }

    /// Whether `Setup` has succeeded.
    public static var IsConfigured: Bool { shared != nil }

    /// The device's id.
    public static var PlayerID: String? { getPlayerID() }

    /// Sets up the façade; a blank project id is logged, and calls fail with `notConfigured` until a `Setup` succeeds.
    ///
    /// - Parameters:
    ///   - projectID: The project's id in the IDPush panel.
    ///   - environment: The environment of the token; by default that of the app's own profile, because `DEBUG`, which the
    ///     document uses, describes the library's build and not the app's.
    public static func Setup(projectID: String, environment: PushEnvironment = .detected) {
        do {
            try setup(projectID: projectID, environment: environment)
        } catch {
            let sink = Client.shared.configuration.log?.sink ?? LogConfiguration.platformSink
            // Logged as a call, because the log records only calls.
            let failure = AnyNode<Void, Void>("IDPush.Setup") { _, _ in throw error }
            let chain = Chain<Void, Void>(failure, log: LogConfiguration(to: sink))
            let _: Observer<Void> = chain.process()
        }
    }

    /// The device's id, `nil` before a registration.
    public static func GetPlayerID() -> String? { getPlayerID() }

    /// Stores an id that was obtained elsewhere, even before `Setup`; a blank one is ignored.
    public static func StorePlayerID(playerID: String) { keep(playerID: playerID) }
}

extension IDPushAction {
    /// The parameters of the façade's request: numbers as `Int`, everything else as `String`.
    public func getParameters() -> [String: Any] {
        guard let service = IDPush.shared else { return [:] }
        return service.parameters(of: self).mapValues { value in
            if case .int(let number) = value { number } else { value.formText }
        }
    }

    /// The URL of the façade's request, before `Setup` that of the document's server; without a player id, the URL ends
    /// where the id would follow.
    public func getURL() -> URL {
        if let url = try? IDPush.shared?.url(of: self) { return url }
        let path = if case .addDevice = self { IDPush.Routes.addDevice } else { IDPush.Routes.editDevice }
        let base = IDPush.shared?.configuration.baseURL ?? URL(string: IDPush.BaseURL)
        return (try? base + path) ?? URL(filePath: "/")
    }

    /// Checks whether the façade could send the action; throws ``IDPushError``, `notConfigured` before `Setup`.
    public func validateBeforePerform() throws {
        guard let service = IDPush.shared else { throw IDPushError.notConfigured }
        try service.validate(self)
    }

    // The document's forms with `[String: Any]`.
    /// Changes tags to any JSON values; any other value fails with `unsupportedValue` when the action is performed.
    @_disfavoredOverload
    public static func setTags(tags: [String: Any]) -> IDPushAction { .setTags(tags: TagValue.any(tags)) }

    /// Changes parameters to any JSON values; any other value fails with `unsupportedValue` when the action is performed.
    @_disfavoredOverload
    public static func editDevice(parameters: [String: Any]) -> IDPushAction {
        .editDevice(parameters: TagValue.any(parameters))
    }
}

extension TagValue {
    fileprivate static func any(_ values: [String: Any]) -> [String: TagValue] {
        // NaN marks a value that JSON cannot express, so that the check of the action names its key.
        values.reduce(into: [:]) { result, item in
            result[item.key] = (try? [String: TagValue](any: [item.key: item.value]))?[item.key] ?? .double(.nan)
        }
    }
}

extension String {
    /// Whether the text contains only white space.
    public var isTrimmedAndEmpty: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
    }
}
