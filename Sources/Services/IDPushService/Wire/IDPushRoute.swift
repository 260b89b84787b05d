import CoreNetKitEssentials
import CoreNetKit

/// The routes of the requests, below the base URL of the configuration.
enum IDPushRoute: UrlRouteProvider, Sendable {
    case addDevice(URL?)
    case editDevice(URL?, playerID: String)

    func url() throws -> URL {
        switch self {
        case .addDevice(let base): try base + "device/add"
        case .editDevice(let base, let playerID): try base + "device/edit/\(segment: playerID)"
        }
    }
}
