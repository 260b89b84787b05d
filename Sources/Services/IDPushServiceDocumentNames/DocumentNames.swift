public import CoreNetKitEssentials
import CoreNetKit
public import IDPushService

// The names of the document, with its spelling, on top of ours. What was private there is readable here.
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

    /// Whether `Setup` went well.
    public static var IsConfigured: Bool { shared != nil }

    /// The id of the device.
    public static var PlayerID: String? { getPlayerID() }

    /// Sets the façade up; a blank project id is logged, and calls fail with `notConfigured` as long as there was no
    /// other.
    ///
    /// - Parameters:
    ///   - projectID: The project's id in the IDPush panel.
    ///   - environment: Which environment the token belongs to; by itself what the app's own profile says, since what
    ///     the document asks, `DEBUG`, is of the library's build and not of the app's.
    public static func Setup(projectID: String, environment: PushEnvironment = .detected) {
        do {
            try setup(projectID: projectID, environment: environment)
        } catch {
            let sink = Client.shared.configuration.log?.sink ?? LogConfiguration.platformSink
            let chain = Chain<Void, Void>(FailedSetup(error: error), log: LogConfiguration(to: sink))
            let _: Observer<Void> = chain.process()
        }
    }

    /// The id of the device, `nil` before a registration.
    public static func GetPlayerID() -> String? { getPlayerID() }

    /// Keeps an id that was got elsewhere, before `Setup` too; a blank one is not kept.
    public static func StorePlayerID(playerID: String) { keep(playerID: playerID) }
}

extension IDPushAction {
    /// The parameters of the request to the façade's server: numbers as `Int`, everything else as `String`.
    public func getParameters() -> [String: Any] {
        guard let service = IDPush.shared else { return [:] }
        return service.parameters(of: self).mapValues { value in
            if case .int(let number) = value { number } else { value.formText }
        }
    }

    /// The URL of the request to the façade's server, before `Setup` to the document's; without a player id it ends where
    /// the id would stand.
    public func getURL() -> URL {
        if let url = try? IDPush.shared?.url(of: self) { return url }
        let path = if case .addDevice = self { IDPush.Routes.addDevice } else { IDPush.Routes.editDevice }
        let base = IDPush.shared?.configuration.baseURL ?? URL(string: IDPush.BaseURL)
        return (try? base + path) ?? URL(filePath: "/")
    }

    /// Checks whether the façade could send the action.
    ///
    /// - Throws: ``IDPushError``, `notConfigured` before `Setup`.
    public func validateBeforePerform() throws {
        guard let service = IDPush.shared else { throw IDPushError.notConfigured }
        try service.validate(self)
    }
}

/// Puts the failure of `Setup` into the log, which knows calls only.
private struct FailedSetup: Node {
    let error: IDPushError
    var id: NodeID { "IDPush.Setup" }
    var successors: [any Node] { [] }

    func process(_ input: Void, context: RequestContext) throws -> Void { throw error }
}

// What the document writes with `[String: Any]`.
extension IDPushAction {
    /// Changes tags of any values that JSON has; any other value fails as `unsupportedValue` when the action is performed.
    @_disfavoredOverload
    public static func setTags(tags: [String: Any]) -> IDPushAction { .setTags(tags: TagValue.any(tags)) }

    /// Changes parameters of any values that JSON has; any other value fails as `unsupportedValue` when the action is
    /// performed.
    @_disfavoredOverload
    public static func editDevice(parameters: [String: Any]) -> IDPushAction {
        .editDevice(parameters: TagValue.any(parameters))
    }
}

extension TagValue {
    fileprivate static func any(_ values: [String: Any]) -> [String: TagValue] {
        // NaN marks a value that JSON cannot hold: its key is named when the action is checked.
        values.reduce(into: [:]) { result, item in
            result[item.key] = (try? [String: TagValue](any: [item.key: item.value]))?[item.key] ?? .double(.nan)
        }
    }
}

extension String {
    /// Whether the text has nothing but white space.
    public var isTrimmedAndEmpty: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
    }
}
