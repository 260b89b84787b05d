#if os(Linux)
    import TestSupport

    @Suite("The walk that is drawn is the walk that runs", .timeLimit(.minutes(10)), .paced)
    struct WalkTests {
        /// Writes down which nodes run while the response is made.
        static func transport(_ walks: Recorder<[String]>) -> ClosureTransport {
            let mock = MockTransport { $0.on(.post, "/users", .json(User.adaJson)) }
            return ClosureTransport { request in
                walks.record(try RunningNodes.names())
                return try await mock.send(request)
            }
        }

        static func lines(_ chain: some CustomStringConvertible) -> [String] {
            chain.description.split(separator: "\n").map { String($0) }
        }

        @Test("of a call with two models, as the pages show it")
        func pages() async throws {
            let walks = Recorder<[String]>()
            let chain: Chain<User, User> = UrlChainsBuilder<String>(client: Client(transport: Self.transport(walks)))
                .route(.post, "http://a.test/users").build()

            let user: User = try await chain.process(.ada)
            #expect(user == .ada)
            let walk = try #require(walks.values.first)
            #expect(walk == Self.lines(chain))
            #expect(try Self.nodes(in: "Docs/Architecture.md", after: "## The walk of one call") == walk)
            let policies = ["StatusNode", "RedirectNode"]
            #expect(
                try Self.nodes(in: "Docs/Chains.md", after: "## The walk of a model")
                    == walk.filter { !policies.contains($0) }
            )
        }

        /// The nodes that a part of a page names, in the order in which it first does.
        static func nodes(in page: String, after title: String) throws -> [String] {
            let text = try Repository.text(page)
            let part =
                text.components(separatedBy: title + "\n").dropFirst().first?
                .components(separatedBy: "\n## ").first ?? ""
            let rows = part.split(separator: "\n").filter { $0.hasPrefix("|") }.joined(separator: "\n")
            return rows.matches(of: /[A-Za-z]+Node(?![A-Za-z])/).reduce(into: []) { names, match in
                if !names.contains(String(match.0)) { names.append(String(match.0)) }
            }
        }

        @Test("of each kind of chain that a builder makes, with the policies that have no closure node")
        func kinds() async throws {
            let walks = Recorder<[String]>()
            let builder = UrlChainsBuilder<String>(client: Client(transport: Self.transport(walks)))
                .route(.post, "http://a.test/users")
                .retry(RetryPolicy()).limit(ConcurrencyLimiter()).breaker(CircuitBreaker())
                .authorize(TokenRefresher(token: AccessToken("t"), origins: .any) { _ in AccessToken("t") })
                .add(provider: ["X-Own": "1"])
            var drawn: [[String]] = []
            func run<Input, Output>(_ chain: Chain<Input, Output>, _ input: Input) async throws {
                _ = try await chain.call(input)
                drawn.append(Self.lines(chain))
            }

            try await run(builder.build() as Chain<Void, User>, ())
            try await run(builder.build() as Chain<PlainUser, Response<PlainUser>>, PlainUser(name: "Ada", age: 36))
            try await run(builder.build() as Chain<Void, Void>, ())
            try await run(builder.build() as Chain<User, Response<Void>>, .ada)
            try await run(builder.loadData(), ())
            #expect(walks.values == drawn)
        }

        @Test("through every public node: in a builder's call, or in a chain without HTTP")
        func everyPublicNode() async throws {
            let walks = Recorder<[String]>()
            let builder = UrlChainsBuilder<String>(client: Client(transport: Self.transport(walks)))
                .route(.post, "http://a.test/users")
                .insert(at: .call) { next in
                    AnyNode("Own", successors: [next]) { try await next.process($0, context: $1) }
                }
            let _: User = try await builder.build().process(User.ada)
            let _: User = try await RpcChainTests.chain(.store, on: walks).process(User.ada)
            let observing = ObserverNode<Int, Int>("Doubler") { number in
                walks.record((try? RunningNodes.names()) ?? [])
                return .emit(data: number * 2)
            }
            #expect(try await Chain(observing).process(2) as Int == 4)

            let entered = Set(walks.values.joined())
            let all = try Self.publicNodes()
            #expect(all.count > 9)
            #expect(all.subtracting(entered) == [])
        }

        /// The public types of the framework that have a `process` of a node.
        static func publicNodes() throws -> Set<String> {
            let declaration = /^public (?:final class|struct) ([A-Za-z]+)/
            var names: Set<String> = []
            for module in ["CoreNetKit", "CoreNetKitChain", "CoreNetKitRecovery"] {
                let folder = Repository.root.appending(path: "Sources/Core/\(module)")
                let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
                for case let file as URL in files where file.pathExtension == "swift" {
                    let text = try String(contentsOf: file, encoding: .utf8)
                    var type = ""
                    for line in text.split(separator: "\n") {
                        if line.hasPrefix("public "), let match = line.firstMatch(of: declaration) {
                            type = String(match.1)
                        }
                        let isStep = line.hasPrefix("    public func process(_ input: ")
                        if isStep, line.contains("context: RequestContext") { names.insert(type) }
                    }
                }
            }
            return names
        }

        @Test("under the names by which events, errors and payloads know nodes of other targets")
        func names() {
            #expect(NodeID.request == NodeID(RequestNode<Json, Json>.self))
            #expect(NodeID.response == NodeID(ResponseNode<Json>.self))
            #expect(NodeID.transport == NodeID(TransportNode.self))
            #expect(NodeID.token == NodeID(TokenNode.self))
        }
    }
#endif
