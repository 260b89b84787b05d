import CoreNetKit
import CoreNetKitChain

struct UserEntry: Codable, RawMappable, Sendable {
    typealias Raw = Json
    let name: String
}

struct User: DTOConvertible, Sendable {
    let name: String
    static func from(dto: UserEntry) throws -> User { User(name: dto.name) }
    func toDTO() throws -> UserEntry { UserEntry(name: name) }
}

nonisolated enum Procedure: Sendable { case greet, find }

/// The last node, here a server in memory: a pipe or a queue of messages would stand in its place.
struct ProcedureNode: Node {
    var successors: [any Node] { [] }

    func process(_ input: RoutedRequest<Procedure, Json>, context: RequestContext) async throws -> Json {
        guard input.route == .greet else { throw NetworkError(.notFound, "nobody here", node: id) }
        return ["name": .init(stringLiteral: "Dear \(input.payload["name"]?.string ?? "nobody")")]
    }
}

/// Models pass through the same nodes where a route is not a URL and nothing is sent over HTTP.
@main
struct ChainWithoutHTTP {
    static func main() async throws {
        func chain(_ procedure: Procedure) -> Chain<User, User> {
            let server = MetadataNode(next: RoutingNode<Procedure, Json, Json>(next: ProcedureNode(), route: procedure))
            let models = DTODecodingNode<User, Json>(next: RawDecodingNode<UserEntry, Json>(next: server))
            return Chain(DTOEncodingNode<User, User>(next: RawEncodingNode<UserEntry, User>(next: models)))
        }
        print(chain(.greet).description, try await chain(.greet).call(User(name: "Ada")) as User, separator: "\n")
        do { _ = try await chain(.find).call(User(name: "Ada")) as User } catch { print(error) }
    }
}
