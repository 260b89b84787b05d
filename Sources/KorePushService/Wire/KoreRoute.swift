package import CoreNetKitEssentials
import CoreNetKit

/// What is asked of the server.
package enum KoreAction: String, Sendable {
    case subscribe
    case unsubscribe
}

/// Where it is asked.
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
    /// Where an action is asked.
    package func url(for action: KoreAction, of userID: String) throws -> URL {
        try KoreRoute(server: server, paths: paths, action: action, userID: userID).url()
    }

    /// The builder of one request, with everything but its authorization.
    func builder(for action: KoreAction, of userID: String, client: Client) -> UrlChainsBuilder<KoreRoute> {
        let route = KoreRoute(server: server, paths: paths, action: action, userID: userID)
        let builder = UrlChainsBuilder<KoreRoute>(client: client)
            .retry(retry)
            // Both requests say how things are to be, so a repeated POST does no harm.
            .idempotencyKey()
            .set(deadline: deadline)
            // A redirect would carry the device token to where nobody was asked about it.
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
