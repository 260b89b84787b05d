/// Why a deep link is not opened.
public enum DeepLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not a URL with a scheme.
    case notAURL
    /// The scheme is not one of the app's; `http` never is.
    case scheme(String)
    /// The host of a web URL is not one of the app's.
    case host(String)
    /// The URL has a user, a password or a port.
    case userInfoOrPort
    /// A segment of the path is `.`, `..`, broken, or has a slash or a control character in it.
    case badPath
    /// No page has this path, this shortcut, or this kind of activity.
    case unknownRoute
    /// The page needs an id, and there is none or a blank one.
    case missingID
    /// There is no link in it.
    case emptyPayload
    /// The page does not open from there.
    case notAllowedFrom(DeepLinkOrigin)
    /// The page is not for the current profile, or no more after a switch.
    case notAllowed(profile: String)
    /// The page is dropped for those who have not signed in.
    case notAuthenticated
    /// The notification was received, but not tapped.
    case notTapped
    /// The same source came a moment ago.
    case duplicate
    /// A later link took its place.
    case replaced
    /// As many links as the queue holds wait already.
    case queueFull
    /// It waited for longer than its time to live.
    case expired
    /// It was discarded, or the user signed out.
    case discarded

    /// The reason in one line, fit for a log.
    public var description: String {
        switch self {
        case .notAURL: "deep link: not a URL with a scheme"
        case .scheme(let scheme): "deep link: scheme \(scheme.debugDescription) is not one of the app's"
        case .host(let host): "deep link: host \(host.debugDescription) is not one of the app's"
        case .userInfoOrPort: "deep link: a URL with a user, password or port is not opened"
        case .badPath: "deep link: the path has a segment that is not opened"
        case .unknownRoute: "deep link: no page has this path"
        case .missingID: "deep link: the page needs an id"
        case .emptyPayload: "deep link: there is no link in it"
        case .notAllowedFrom(let origin): "deep link: the page does not open from \(origin.rawValue)"
        case .notAllowed(let profile): "deep link: the page is not for profile \(profile.debugDescription)"
        case .notAuthenticated: "deep link: the page is only for those who have signed in"
        case .notTapped: "deep link: the notification was not tapped"
        case .duplicate: "deep link: came a moment ago"
        case .replaced: "deep link: a later one took its place"
        case .queueFull: "deep link: too many wait already"
        case .expired: "deep link: waited for too long"
        case .discarded: "deep link: discarded"
        }
    }
}
