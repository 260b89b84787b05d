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
        var walks = Recorder<[String]>()
        var successors: [any Node] { [] }

        func process(_ input: RoutedRequest<Procedure, Json>, context: RequestContext) async throws -> Json {
            #if os(Linux)
                walks.record(try RunningNodes.names())
            #endif
            switch input.route {
            case .store:
                stored.record(input.payload)
                return input.payload
            case .find(let name):
                guard let json = stored.values.first(where: { $0["name"]?.string == name }) else {
                    throw NetworkError(.notFound, "nobody is called \(name)", node: id)
                }
                return json
            }
        }
    }

    /// Models, DTOs, raw data, metadata, a route: nodes of the framework, but for the last one.
    static func chain(
        _ route: Procedure,
        in stored: Recorder<Json> = Recorder(),
        on walks: Recorder<[String]> = Recorder()
    ) -> Chain<User, User> {
        let server = MemoryRpcNode(stored: stored, walks: walks)
        let routing = RoutingNode<Procedure, Json, Json>(next: server, route: route)
        let raw = RawDecodingNode<UserEntry, Json>(next: MetadataNode(next: routing))
        let models = DTODecodingNode<User, Json>(next: raw)
        return Chain(DTOEncodingNode<User, User>(next: RawEncodingNode<UserEntry, User>(next: models)))
    }

    @Test("the models of an HTTP chain run through a chain whose route has no URL")
    func sameModelsOtherProtocol() async throws {
        let stored = Recorder<Json>()
        func chain(_ route: Procedure) -> Chain<User, User> { Self.chain(route, in: stored) }

        let echoed: User = try await chain(.store).process(.ada)
        let found: User = try await chain(.find(name: "Ada")).process(.ada)
        #expect(echoed == .ada)
        #expect(found == .ada)
        let error = await failure { let _: User = try await chain(.find(name: "Bob")).process(.ada) }
        #expect(error?.code == .notFound)
        #expect(error?.node == "MemoryRpcNode")
    }

    @Test("it is drawn as it runs")
    func drawnAsItRuns() async throws {
        #if os(Linux)
            let walks = Recorder<[String]>()
            let chain = Self.chain(.store, on: walks)
            let _: User = try await chain.process(.ada)
            #expect(walks.values == [chain.description.split(separator: "\n").map { String($0) }])
        #endif
    }
}
