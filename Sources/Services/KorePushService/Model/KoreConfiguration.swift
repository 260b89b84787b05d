public import CoreNetKit
public import CoreNetKitEssentials
import PushRegistration

/// The server, and how to talk to it.
public struct KoreConfiguration: Sendable {
    /// The paths of the two requests.
    public enum Paths: Sendable, Hashable {
        /// `/api/users/{userId}/subscribe` and `/unsubscribe`, as in the document.
        case document
        /// `/api/users/{userId}/sdknotifications/subscribe` and `/unsubscribe`, as Kore's SDKs send.
        case sdkNotifications
    }

    /// How the two parameters are sent.
    public struct RequestFormat: Sendable, Hashable {
        /// How a device is subscribed.
        public enum Subscribe: Sendable, Hashable {
            /// POST with JSON.
            case json
            /// POST with a form.
            case form
        }

        /// How a device is unsubscribed.
        public enum Unsubscribe: Sendable, Hashable {
            /// DELETE with JSON; some proxies drop the body of a DELETE.
            case deleteJSON
            /// DELETE with a query: the device token appears in the logs of every proxy.
            case deleteQuery
            /// POST with JSON and `X-HTTP-Method-Override: DELETE`.
            case postOverride
        }

        /// How a device is subscribed.
        public var subscribe: Subscribe
        /// How a device is unsubscribed.
        public var unsubscribe: Unsubscribe

        /// Creates a choice for both requests.
        public init(subscribe: Subscribe, unsubscribe: Unsubscribe) {
            (self.subscribe, self.unsubscribe) = (subscribe, unsubscribe)
        }

        /// JSON for both, as the document's header table says.
        public static let json = RequestFormat(subscribe: .json, unsubscribe: .deleteJSON)
        /// A form and a query: what the document's code sends with Alamofire.
        public static let alamofire = RequestFormat(subscribe: .form, unsubscribe: .deleteQuery)
        /// JSON, never DELETE: what the SDKs for Android and React Native send.
        public static let postOverride = RequestFormat(subscribe: .json, unsubscribe: .postOverride)
    }

    /// The server's URL, without `/api`; https, or http on this machine.
    public var server: URL
    /// The paths of the two requests.
    public var paths: Paths
    /// How the two parameters are sent.
    public var requestFormat: RequestFormat
    /// Which failures are retried; `nil` for none.
    ///
    /// Both requests are safe to retry.
    public var retry: RetryPolicy?
    /// How long a request may take in total, including all waits and retries.
    public var deadline: Duration
    /// The server's own codes for a device that is not subscribed; an unsubscription with such a code counts as done.
    public var notSubscribedCodes: Set<String> = ["DEVICE_NOT_FOUND"]

    /// Creates a configuration.
    public init(
        server: URL,
        paths: Paths = .document,
        requestFormat: RequestFormat = .json,
        retry: RetryPolicy? = .standard,
        deadline: Duration = .seconds(60)
    ) {
        (self.server, self.paths, self.requestFormat) = (server, paths, requestFormat)
        (self.retry, self.deadline) = (retry, deadline)
    }

    /// Returns the parts of the URL that identify a server.
    func validate() throws(KorePushError) -> (host: String, serverKey: String) {
        switch ServerAddressProblem(server) {
        case .noHost: throw KorePushError(.invalidServer, "the server's URL is not an absolute https URL")
        case .insecure: throw KorePushError(.insecureServer, "the server's URL is plain http: access tokens need https")
        case nil: break
        }
        let host = server.host(percentEncoded: true)?.lowercased() ?? ""
        let port = server.port ?? (server.scheme?.lowercased() == "https" ? 443 : 80)
        let path = server.path(percentEncoded: true)
        return (host, "\(host):\(port)" + (path == "/" ? "" : path))
    }
}
