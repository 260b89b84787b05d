public import CoreNetKitEssentials
public import CoreNetKit

/// The routes of the alarm requests, below the address of the server's API.
public enum AlarmRoute: UrlRouteProvider, Sendable {
    /// Pages of alarms.
    case list(URL)
    /// All five actions.
    case action(URL)

    /// Joins the address and the path.
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
