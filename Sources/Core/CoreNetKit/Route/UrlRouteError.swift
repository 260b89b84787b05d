/// The reason why a route has no URL.
public enum UrlRouteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No URL can be built; the text says from which input and why, without user info, query and fragment.
    case cantBuildUrl(String)

    /// One line fit for a log.
    public var description: String {
        switch self {
        case .cantBuildUrl(let reason): "no URL can be built: \(reason)"
        }
    }
}
