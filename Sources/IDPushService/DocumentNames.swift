#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import CoreNetKit

// The names of the document, with its spelling, on top of ours. What was private there is readable here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The document's name for the errors of `Setup`.
public typealias IDPushConfigureError = IDPushError

/// The document's name for the errors of an action.
public typealias IDPushActionError = IDPushError

extension IDPush {
    /// The key of the stored player id.
    public static let kUserDefaults_PreviousPlayerID = RegistrationStore.originalKey

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
    public static func Setup(projectID: String) {
        do {
            try setup(projectID: projectID)
        } catch {
            let sink = Client.shared.configuration.log?.sink ?? LogConfiguration.platformSink
            let chain = Chain<Void, Void>(FailedSetup(error: error), log: LogConfiguration(to: sink))
            let _: Observer<Void> = chain.process()
        }
    }

    /// The id of the device, `nil` before a registration.
    public static func GetPlayerID() -> String? { getPlayerID() }

    /// Keeps an id that was got elsewhere; a blank one is not kept.
    public static func StorePlayerID(playerID: String) { shared?.store(playerID: playerID) }
}

extension IDPushAction {
    /// The parameters of the request to the façade's server: numbers as `Int`, everything else as `String`.
    public func getParameters() -> [String: Any] {
        guard let service = IDPush.shared else { return [:] }
        return service.parameters(of: self).mapValues { value in
            if case .int(let number) = value { number } else { value.formText }
        }
    }

    /// The URL of the request to the façade's server; without a player id it ends where the id would stand.
    public func getURL() -> URL {
        let base = IDPush.shared?.configuration.baseURL
        if let url = try? IDPush.shared?.url(of: self) { return url }
        let edit = try? base + IDPush.Routes.editDevice
        return edit ?? URL(filePath: "/")
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
