import CoreNetKit
import CoreNetKitMock

/// Everything about a request in one place, as in Moya's `TargetType`.
nonisolated protocol Target: Sendable {
    var method: HTTPMethod { get }
    var url: String { get }
    var query: [String: Any?] { get }
    var body: Json? { get }
}

nonisolated enum Shop: Target {
    case orders(page: Int), add(name: String)

    var method: HTTPMethod { if case .add = self { .post } else { .get } }
    var url: String { "https://api.example.com/orders" }
    var query: [String: Any?] { if case .orders(let page) = self { ["page": page] } else { [:] } }
    var body: Json? { if case .add(let name) = self { ["name": .init(stringLiteral: name)] } else { nil } }
}

extension Client {
    func load<Model: Decodable & Sendable>(_ target: some Target, as type: Model.Type) async throws -> Model {
        let builder = UrlChainsBuilder(client: self).route(target.method, target.url).set(query: target.query)
        let (plain, sending): (Chain<Void, Model>, Chain<Json, Model>) = (builder.build(), builder.build())
        return if let body = target.body { try await sending.call(body) } else { try await plain.call() }
    }
}

@main
struct TargetEnum {
    static func main() async throws {
        let mock = MockTransport {
            $0.on(.get, "/orders?page=2", .json(#"["Tea", "Bread"]"#))
            $0.on(.post, "/orders") { request in .json(request.text) }
        }
        let client = Client(transport: mock)
        print(try await client.load(Shop.orders(page: 2), as: [String].self))
        print(try await client.load(Shop.add(name: "Salt"), as: Json.self)["name"]?.string ?? "")
    }
}
