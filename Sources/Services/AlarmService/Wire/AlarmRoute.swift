public import CoreNetKitEssentials
public import CoreNetKit

/// Where the requests about alarms go, below the address of the server's API.
public enum AlarmRoute: UrlRouteProvider, Sendable {
    /// Pages of alarms.
    case list(URL)
    /// All five actions.
    case action(URL)

    /// Joins address and path.
    ///
    /// - Returns: The URL.
    /// - Throws: `UrlRouteError`.
    public func url() throws -> URL {
        switch self {
        case .list(let base): try base + "/notifications"
        case .action(let base): try base + "/notifications/action"
        }
    }
}
