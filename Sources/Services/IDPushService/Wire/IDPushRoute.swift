import CoreNetKit
import CoreNetKitEssentials

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
