import CoreNetKit
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

/// What a login gives: both tokens.
struct Login: TokenCredential, Codable, Hashable {
    var access: String
    var refresh: String
    var expires: Date?

    var accessToken: AccessToken { AccessToken(access, expires: expires) }

    init(_ number: Int, expires: Date? = nil) {
        (access, refresh, self.expires) = ("a\(number)", "r\(number)", expires)
    }
}

/// An authorization server that gives each refresh token once, and counts those that come twice.
final class AuthServer: Sendable {
    struct State {
        var last = 0
        var spent: [String: Int] = [:]
        var valid = "a0"
    }

    private let state = Locked(State())
    /// When tokens expire, as they say themselves.
    let expires = Locked<Date?>(nil)

    /// How many refresh tokens came.
    var spends: Int { state.withLock { $0.spent.values.reduce(0, +) } }
    /// How many of them came again.
    var doubles: Int { state.withLock { $0.spent.values.reduce(0) { $0 + $1 - 1 } } }
    var valid: String { state.withLock { $0.valid } }

    func refreshed(_ login: Login?) -> Login {
        state.withLock { state in
            state.spent[login?.refresh ?? "none", default: 0] += 1
            state.last += 1
            state.valid = "a\(state.last)"
            return Login(state.last, expires: expires.withLock { $0 })
        }
    }

    /// A login by password.
    func login() -> Login {
        state.withLock { state in
            state.last += 100
            state.valid = "a\(state.last)"
            return Login(state.last)
        }
    }

    /// No access token works any more.
    func expire() { state.withLock { $0.valid = "none" } }

    /// The server of the access tokens.
    var resources: ClosureResponses {
        { [self] request in
            .init(status: request.headers["Authorization"] == "Bearer \(valid)" ? 200 : 401, url: request.url)
        }
    }

    typealias ClosureResponses = @Sendable (TransportRequest) async throws -> TransportResponse
}
