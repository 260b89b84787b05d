/// The reason why a deep link is not opened.
public struct DeepLinkError: Error, Sendable, Hashable {
    /// A class of failure: an open set; any version may add new codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        private init(_ name: String) { description = name }

        /// The text is not a URL with a scheme.
        public static let notAURL = Code("notAURL")
        /// The link exceeds a length limit.
        public static let tooLong = Code("tooLong")
        /// The scheme is not one of the app's.
        public static let scheme = Code("scheme")
        /// The host of a web URL is not one of the app's.
        public static let host = Code("host")
        /// The URL has a user, a password or a port.
        public static let userInfoOrPort = Code("userInfoOrPort")
        /// A segment of the path is not allowed.
        public static let badPath = Code("badPath")
        /// The query is malformed, or has two values for one parameter.
        public static let badQuery = Code("badQuery")
        /// A parameter does not fit its type.
        public static let badParameter = Code("badParameter")
        /// No page has this path, shortcut or kind of activity.
        public static let unknownRoute = Code("unknownRoute")
        /// The page needs an id, but it is missing or blank.
        public static let missingID = Code("missingID")
        /// The source contains no link.
        public static let emptyPayload = Code("emptyPayload")
        /// The page does not open from this kind of source.
        public static let notAllowedFrom = Code("notAllowedFrom")
        /// The page is not for the current profile.
        public static let notAllowed = Code("notAllowed")
        /// The page is only for signed-in users, so the link was dropped.
        public static let notAuthenticated = Code("notAuthenticated")
        /// The notification was received, but not tapped.
        public static let notTapped = Code("notTapped")
        /// The action of the notification opens no page.
        public static let action = Code("action")
        /// The same source arrived a moment ago.
        public static let duplicate = Code("duplicate")
        /// A later link replaced it.
        public static let replaced = Code("replaced")
        /// The queue of waiting links is full.
        public static let queueFull = Code("queueFull")
        /// It waited longer than its time to live.
        public static let expired = Code("expired")
        /// It was discarded: by the app, by a sign-out, or because the user refused it.
        public static let discarded = Code("discarded")
        /// An app id or a fingerprint is invalid, see ``DeepLinkParser/appleAppSiteAssociation(appIDs:)``.
        public static let badAssociation = Code("badAssociation")
    }

    /// The class of failure.
    public let code: Code
    /// One line, without paths and ids.
    public let message: String

    init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    // One value for each code, with its details.
    /// The text is not a URL with a scheme.
    public static let notAURL = DeepLinkError(.notAURL, "not a URL with a scheme")
    /// The link exceeds 8 KiB, or a segment of it 1 KiB.
    public static let tooLong = DeepLinkError(.tooLong, "longer than a link may be")
    /// The scheme is not one of the app's; `http` never is.
    public static func scheme(_ scheme: String) -> DeepLinkError {
        DeepLinkError(.scheme, "scheme \(scheme.prefix(40).debugDescription) is not one of the app's")
    }
    /// The host of a web URL is not one of the app's.
    public static func host(_ host: String) -> DeepLinkError {
        DeepLinkError(.host, "host \(host.prefix(80).debugDescription) is not one of the app's")
    }
    /// The URL has a user, a password or a port.
    public static let userInfoOrPort = DeepLinkError(
        .userInfoOrPort,
        "a URL with a user, password or port is not opened"
    )
    /// A segment of the path is `.` or `..`, is malformed, or contains a slash, a control character or a direction mark.
    public static let badPath = DeepLinkError(.badPath, "the path has a segment that is not opened")
    /// The query is malformed, or has two values for one parameter.
    public static let badQuery = DeepLinkError(.badQuery, "the query is broken, or has two values for one parameter")
    /// The parameter does not fit the type in its pattern.
    public static func badParameter(_ name: String) -> DeepLinkError {
        DeepLinkError(.badParameter, "parameter \(name.debugDescription) does not have its type")
    }
    /// No page has this path, shortcut or kind of activity.
    public static let unknownRoute = DeepLinkError(.unknownRoute, "no page has this path")
    /// The page needs an id, but it is missing or blank.
    public static let missingID = DeepLinkError(.missingID, "the page needs an id")
    /// The source contains no link.
    public static let emptyPayload = DeepLinkError(.emptyPayload, "there is no link in it")
    /// The page does not open from this kind of source.
    public static func notAllowedFrom(_ kind: DeepLinkSourceKind) -> DeepLinkError {
        DeepLinkError(.notAllowedFrom, "the page does not open from \(kind.rawValue)")
    }
    /// The page is not for the current profile, possibly after a switch of profiles.
    public static func notAllowed(profile: String) -> DeepLinkError {
        DeepLinkError(.notAllowed, "the page is not for profile \(profile.debugDescription)")
    }
    /// The page is only for signed-in users, so the link was dropped.
    public static let notAuthenticated = DeepLinkError(
        .notAuthenticated,
        "the page is only for those who have signed in"
    )
    /// The notification was received, but not tapped.
    public static let notTapped = DeepLinkError(.notTapped, "the notification was not tapped")
    /// The action of the notification opens no page.
    public static func action(_ name: String) -> DeepLinkError {
        DeepLinkError(.action, "action \(name.prefix(80).debugDescription) opens no page")
    }
    /// The same source arrived a moment ago.
    public static let duplicate = DeepLinkError(.duplicate, "arrived a moment ago")
    /// A later link replaced it.
    public static let replaced = DeepLinkError(.replaced, "a later one took its place")
    /// The queue of waiting links is full.
    public static let queueFull = DeepLinkError(.queueFull, "too many are already waiting")
    /// It waited longer than its time to live.
    public static let expired = DeepLinkError(.expired, "waited for too long")
    /// It was discarded: by the app, by a sign-out, or because the user refused it.
    public static let discarded = DeepLinkError(.discarded, "discarded")

    /// Lets `catch DeepLinkError.unknownRoute` match.
    public static func ~= (pattern: DeepLinkError, error: any Error) -> Bool { error as? DeepLinkError == pattern }
}

extension DeepLinkError: CustomStringConvertible {
    /// One line for a log.
    public var description: String { "deep link: " + message }
}
