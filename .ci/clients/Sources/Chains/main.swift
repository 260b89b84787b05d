import CoreNetKit
import CoreNetKitLoopback
import Foundation

// The service of the documents, as it is printed there (its typing slips mended).

enum Type: Int, Codable {
    case owner
    case member
}

struct PhotoEntry: Codable {
    let id: String
    let ref: String
}

extension PhotoEntry: RawMappable {
    public typealias Raw = Json
}

struct UserEntry: Codable {
    let name: String
    let age: Int
    let type: Type
    let photos: [PhotoEntry]
}

extension UserEntry: RawMappable {
    public typealias Raw = Json
}

struct Photo {
    let id: String
    let image: String
}

extension Photo: DTOConvertible {

    public typealias DTO = PhotoEntry

    static func from(dto: PhotoEntry) throws -> Photo {
        return .init(id: dto.id, image: dto.ref)
    }

    func toDTO() throws -> PhotoEntry {
        return .init(id: id, ref: image)
    }
}

struct User {
    let name: String
    let age: Int
    let type: Type
    let photos: [Photo]
}

extension User: DTOConvertible {
    public typealias DTO = UserEntry

    static func from(dto: UserEntry) throws -> User {
        return try .init(name: dto.name,
                        age: dto.age,
                        type: dto.type,
                        photos: .from(dto: dto.photos))
    }

    func toDTO() throws -> UserEntry {
        return try .init(name: name, age: age, type: type, photos: photos.toDTO())
    }
}

enum RegistrationRoute {
    case auth
    case users
    case user(String)
    case taskState
}

extension RegistrationRoute: UrlRouteProvider {
    func url() throws -> URL {
        let base = URL(string: ProcessInfo.processInfo.environment["CLIENT_BASE"] ?? "http://example.com")
        switch self {
        case .auth:
            return try base + "/user/auth"
        case .users:
            return try base + "/user/users"
        case .taskState:
            return try base + "/tasks"
        case .user(let id):
            return try base + "/user/\(id)"
        }
    }
}

class ExampleService {

    var saved: [User] = []

    var builder: UrlChainsBuilder<RegistrationRoute> {
        return .init()
    }

    func auth(user: User) -> Observer<Void> {
        return self.builder
            .route(.post, .auth)
            .build()
            .process(user)
            .map { [weak self] (user: User) in
                self?.saveToKeychain(user)
                return ()
            }
    }

    func getUser(by id: String) -> Observer<User> {
        return self.builder
            .route(.get, .user(id))
            .build()
            .process()
    }

    func getUsers() -> Observer<[User]> {
        return self.builder
            .route(.get, .users)
            .build()
            .process()
    }

    func updateState(by params: [String], descending: Bool, by map: [String: Any], max: Int, users: [User]) -> Observer<Void> {
        return self.builder
            .set(query: ["params": params, "desc": descending, "map": map, "max": max])
            .set(boolEncodingStartegy: .asBool)
            .set(arrayEncodingStrategy: .noBrackets)
            .route(.post, RegistrationRoute.taskState)
            .build()
            .process(users)
    }

    private func saveToKeychain(_ user: User) {
        saved.append(user)
    }
}

class Presenter {

    private let service = ExampleService()
    var log: [String] = []
    var ended: (() -> Void)?

    func loadUsers() {
        self.showLoader()
        self.service.getUsers()
            .onCompleted { [weak self] model in
                self?.show(users: model)
            }.onError { [weak self] error in
                self?.show(error: error)
            }.defer { [weak self] in
                self?.hideLoader()
            }
    }

    func signUp(_ user: User) {
        self.service.auth(user: user)
            .onCompleted { [weak self] in
                self?.log.append("saved \(self?.service.saved.count ?? 0)")
            }.onError { [weak self] error in
                self?.show(error: error)
            }.defer { [weak self] in
                self?.update(user)
            }
    }

    func update(_ user: User) {
        self.service.updateState(by: ["a", "b"], descending: true, by: ["k": "v"], max: 20, users: [user])
            .onError { [weak self] error in
                self?.show(error: error)
            }.defer { [weak self] in
                self?.ended?()
            }
    }

    func showLoader() { log.append("loading") }
    func show(users: [User]) { log.append(users.map { $0.name }.joined(separator: ",")) }
    func show(error: Error) { log.append("error: \(error)") }
    func hideLoader() {
        log.append("hidden")
        signUp(User(name: "Grace", age: 45, type: .member, photos: []))
    }
}

let server = try LoopbackServer()
let ada = #"{"name":"Ada","age":36,"type":0,"photos":[{"id":"p1","ref":"ada.png"}]}"#
server.on(.get, "/user/users", .json("[\(ada)]"))
server.on(.post, "/user/auth", .json(ada))
server.on(.post, "/tasks", .status(204))
setenv("CLIENT_BASE", "http://127.0.0.1:\(server.port)", 1)

let presenter = Presenter()
presenter.ended = {
    let expected = ["loading", "Ada", "hidden", "saved 1"]
    let target = server.requests.last?.target
    guard presenter.log == expected, target == "/tasks?desc=true&map%5Bk%5D=v&max=20&params=a&params=b" else {
        print("got \(presenter.log), \(target ?? "no request")")
        exit(1)
    }
    Task {
        let result = await checkForms(server)
        print(result)
        exit(result == "ok" ? 0 : 1)
    }
}
presenter.loadUsers()
dispatchMain()
