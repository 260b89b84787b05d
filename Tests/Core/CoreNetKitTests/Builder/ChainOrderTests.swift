import TestSupport

@Suite("The order of a chain", .timeLimit(.minutes(10)), .paced)
struct ChainOrderTests {
    /// Records what passes it: around the models, or as a node at a position.
    struct Passing: Layer {
        let name: String
        let events: Recorder<String>

        func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output> {
            AnyNode<Input, Output>(NodeID(rawValue: name), successors: [next]) { input, context in
                events.record("\(name) >")
                let output = try await next.process(input, context: context)
                events.record("< \(name)" + ((output as? TransportResponse).map { " \($0.status)" } ?? ""))
                return output
            }
        }
    }

    @Test("a request passes custom nodes from the outside in, its response from the inside out")
    func insertionsSeeBothDirections() async throws {
        let events = Recorder<String>()
        let transport = ClosureTransport { request in
            events.record("wire \(request.url.path)")
            return request.url.path == "/old"
                ? .init(status: 302, headers: ["Location": "/new"], url: request.url)
                : .init(status: 200, body: .bytes(Data(User.adaJson.utf8)), url: request.url)
        }
        let chain: Chain<Void, User> = UrlChainsBuilder<String>()
            .insert(at: .exchange) { AnyNode(Passing(name: "exchange", events: events).wrap($0)) }
            .insert(at: .attempt) { AnyNode(Passing(name: "attempt", events: events).wrap($0)) }
            .insert(at: .call) { AnyNode(Passing(name: "call 1", events: events).wrap($0)) }
            .insert(at: .call) { AnyNode(Passing(name: "call 2", events: events).wrap($0)) }
            .insert(Passing(name: "outer", events: events))
            .insert(Passing(name: "inner", events: events))
            .set(transport: transport)
            .route(.get, "http://localhost/old").build()

        let user: User = try await chain.process()
        #expect(user == .ada)
        #expect(
            events.values == [
                "outer >", "inner >", "call 1 >", "call 2 >", "attempt >",
                "exchange >", "wire /old", "< exchange 302", "exchange >", "wire /new", "< exchange 200",
                "< attempt 200", "< call 2 200", "< call 1 200", "< inner", "< outer",
            ]
        )
    }

    @Test("a policy may bring a step around the models")
    func layerOfPolicy() async throws {
        struct Bringing: ChainPolicy {
            let step: Passing
            var positions: [ChainPosition] { [.cache] }
            var layer: (any Layer)? { step }

            func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
        }
        let step = Passing(name: "step", events: Recorder())
        let client = Client(transport: ClosureTransport()).with(Bringing(step: step))
        try await UrlChainsBuilder<String>(client: client).route(.get, "http://a.test").build().process()
        #expect(step.events.values == ["step >", "< step"])
    }

    @Test("the description names the nodes in the order in which a request passes them")
    func descriptionPrintsTheOrder() {
        let events = Recorder<String>()
        let chain: Chain<User, User> = UrlChainsBuilder<String>()
            .insert(at: .attempt) { AnyNode(Passing(name: "Signer", events: events).wrap($0)) }
            .route(.post, "http://localhost/").build()
        #expect(
            chain.description == """
                DTOEncodingNode
                RawEncodingNode
                RequestNode
                ResponseNode
                StatusNode
                Signer
                RedirectNode
                TransportNode
                """
        )
    }

    @Test(
        "the pages that show the order match the one list",
        arguments: ["Docs/Chains.md", "Docs/Recovery.md", "Docs/Decisions/0007-order-of-policies.md"]
    )
    func pagesHaveTheOrder(page: String) throws {
        let text = try Repository.text(page)
        let names = ChainPosition.all.map(\.name)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `.") }
            .map { $0.split(separator: "|")[0].filter { !" `.".contains($0) } }
            .filter { names.contains($0) }
        #expect(rows == names.filter { rows.contains($0) } && rows.count > 9)
        if page == "Docs/Chains.md" { #expect(rows == names) }
    }

    @Test("a framework policy makes a node that knows its position")
    func positions() {
        #expect(ChainPosition.all == ChainPosition.all.sorted())
        #expect(Set(ChainPosition.all.map(\.name)).count == ChainPosition.all.count)
        let inside = ChainPosition.inside(of: .retry, "mine")
        let outside = ChainPosition.outside(of: .retry, "mine")
        #expect(outside < .retry && ChainPosition.retry < inside && inside < .token && ChainPosition.limit < outside)
        // What takes secrets away is behind whatever may add them.
        let innermost = ChainPosition.innermost(of: .retry, "a")
        #expect(inside < innermost && .inside(of: .retry, "z") < innermost && innermost < .token)
    }

    @Test("attributes set by one node are visible to the nodes after it")
    func attributesTravelInwards() async throws {
        enum Tenant: Attributes.Key { typealias Value = String }
        let seen = Recorder<String?>()
        let builder = UrlChainsBuilder<String>()
            .insert(at: .call) { next in
                AnyNode<TransportRequest, TransportResponse>("Setter", successors: [next]) { input, context in
                    var context = context
                    context.attributes[Tenant.self] = "acme"
                    return try await next.process(input, context: context)
                }
            }
            .insert(at: .attempt) { next in
                AnyNode<TransportRequest, TransportResponse>("Getter", successors: [next]) { input, context in
                    seen.record(context.attributes[Tenant.self])
                    return try await next.process(input, context: context)
                }
            }
            .set(transport: ClosureTransport())
            .route(.get, "http://localhost/")

        try await builder.build().process()
        #expect(seen.values == ["acme"])
    }
}
