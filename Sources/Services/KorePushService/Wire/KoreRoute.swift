package import CoreNetKitEssentials
import CoreNetKit

/// An action of the server.
package enum KoreAction: String, Sendable {
    case subscribe
    case unsubscribe
}

/// The route of a request.
struct KoreRoute: UrlRouteProvider, Sendable {
    let server: URL
    let paths: KoreConfiguration.Paths
    let action: KoreAction
    let userID: String

    func url() throws -> URL {
        switch paths {
        case .document: try server + "/api/users/\(segment: userID)/\(action.rawValue)"
        case .sdkNotifications: try server + "/api/users/\(segment: userID)/sdknotifications/\(action.rawValue)"
        }
    }
}

extension KoreConfiguration {
    /// The URL of an action.
    package func url(for action: KoreAction, of userID: String) throws -> URL {
        try KoreRoute(server: server, paths: paths, action: action, userID: userID).url()
    }

    /// The builder of one request, complete except for its authorization.
    func builder(for action: KoreAction, of userID: String, client: Client) -> UrlChainsBuilder<KoreRoute> {
        let route = KoreRoute(server: server, paths: paths, action: action, userID: userID)
        let builder = UrlChainsBuilder<KoreRoute>(client: client)
            .retry(retry)
            // Both requests state the desired result, so repeating a POST is safe.
            .idempotencyKey()
            .set(deadline: deadline)
            // A redirect would send the device token to another server.
            .set(redirectLimit: 0)
        switch (action, wire.subscribe, wire.unsubscribe) {
        case (.subscribe, .json, _): return builder.route(.post, route)
        case (.subscribe, .form, _): return builder.route(.post, route).encode(as: .formUrl)
        case (.unsubscribe, _, .deleteJSON): return builder.route(.delete, route)
        case (.unsubscribe, _, .deleteQuery): return builder.route(.delete, route).encode(as: .urlQuery)
        case (.unsubscribe, _, .postOverride):
            return builder.route(.post, route).set(metadata: ["X-HTTP-Method-Override": "DELETE"])
        }
    }
}
