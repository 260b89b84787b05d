import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("A chain that is not HTTP", .timeLimit(.minutes(10)), .paced)
struct RpcChainTests {
    /// A route without a URL.
    enum Procedure: Sendable, Hashable {
        case find(name: String)
        case store
    }

    /// A last node that is a server in memory.
    struct MemoryRpcNode: Node {
        let stored: Recorder<Json>
        var successors: [any Node] { [] }

        func process(_ input: RoutedRequest<Procedure, Json>, context: RequestContext) async throws -> Json {
            switch input.route {
            case .store:
                stored.record(input.payload)
                return input.payload
            case .find(let name):
                guard let json = stored.values.first(where: { $0["name"]?.string == name }) else {
                    throw NetworkError(.notFound, "nobody is called \(name)", stage: id)
                }
                return json
            }
        }
    }

    @Test("the models of an HTTP chain run through one whose route has no URL")
    func sameModelsOtherProtocol() async throws {
        let stored = Recorder<Json>()
        func chain(_ route: Procedure) -> Chain<User, User> {
            Chain(
                DTOEncodingNode<User, _>(
                    next: RawEncodingNode<UserEntry, _>(
                        next: DTODecodingNode<User, _>(
                            next: RawDecodingNode<UserEntry, _>(
                                next: MetadataNode<Json, _>(
                                    next: RoutingNode<Procedure, Json, _>(
                                        next: MemoryRpcNode(stored: stored),
                                        route: route
                                    )
                                )
                            )
                        )
                    )
                )
            )
        }

        let echoed: User = try await chain(.store).process(.ada)
        let found: User = try await chain(.find(name: "Ada")).process(.ada)

        #expect(echoed == .ada)
        #expect(found == .ada)
        let error = await #expect(throws: NetworkError.self) {
            let _: User = try await chain(.find(name: "Bob")).process(.ada)
        }
        #expect(error?.code == .notFound)
        #expect(error?.stage == "MemoryRpcNode")
    }
}
