import CoreNetKit
import Foundation

/// Where the requests go; `base` is the address of the server.
enum RegistrationRoute: UrlRouteProvider {
    case auth(URL)
    case users(URL)
    case user(URL, String)
    case taskState(URL)

    func url() throws -> URL {
        switch self {
        case .auth(let base): try base + "/user/auth"
        case .users(let base): try base + "/user/users"
        case .user(let base, let id): try base + "/user/\(segment: id)"
        case .taskState(let base): try base + "/tasks"
        }
    }
}

/// A service as an app writes it: one function for each request, with the response in an observer.
@MainActor
final class ExampleService {
    private let base: URL
    private(set) var keychain: [String] = []

    init(base: URL) { self.base = base }

    var builder: UrlChainsBuilder<RegistrationRoute> { .init() }

    func auth(user: User) -> Observer<Void> {
        builder
            .route(.post, .auth(base))
            .build()
            .process(user)
            .map { [weak self] (user: User) in
                self?.saveToKeychain(user)
                return ()
            }
    }

    func getUser(by id: String) -> Observer<User> {
        builder
            .route(.get, .user(base, id))
            .build()
            .process()
    }

    func getUsers() -> Observer<[User]> {
        builder
            .route(.get, .users(base))
            .build()
            .process()
    }

    func updateState(
        by params: [String],
        descending: Bool,
        by map: [String: Any],
        max: Int,
        users: [User]
    ) -> Observer<Void> {
        builder
            .set(query: ["params": params, "desc": descending, "map": map, "max": max])
            .set(boolEncodingStartegy: .asBool)
            .set(arrayEncodingStrategy: .noBrackets)
            .route(.post, .taskState(base))
            .build()
            .process(users)
    }

    private func saveToKeychain(_ user: User) { keychain.append(user.name) }
}

// The same requests for callers that use `await`.
extension ExampleService {
    func user(by id: String) async throws -> User {
        try await builder.route(.get, .user(base, id)).build().process()
    }

    func users() async throws -> [User] {
        try await builder.route(.get, .users(base)).build().process()
    }

    func signUp(_ user: User) async throws -> User {
        try await builder.route(.post, .auth(base)).build().process(user)
    }
}
