import TestSupport

@Suite("Who makes a call, for a node that asks", .timeLimit(.minutes(10)), .paced)
struct CallIdentityTests {
    private struct Told: Transport {
        let identity: String?
        var capabilities: TransportCapabilities { [] }
        func clientIdentity(for url: URL) -> String? { identity }
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            .init(status: 200, url: request.url)
        }
    }

    /// Asks in its node, and ignores the policy of that name.
    private struct Asker: ChainPolicy {
        let sources: Recorder<CallIdentitySource>
        var positions: [ChainPosition] { [.cache] }

        func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
            let isIgnored = { (policy: any ChainPolicy) in (policy as? Neighbour)?.isIgnored == true }
            sources.record(CallIdentitySource(parts, inside: .cache, except: isIgnored) { _, _ in 7 })
            return next
        }
    }

    private final class Holder: Sendable {}

    private struct Neighbour: ChainPolicy {
        let positions: [ChainPosition]
        var scope: PolicyScope
        var isIgnored = false

        func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
    }

    private static func identity(
        of request: TransportRequest,
        by transport: any Transport = Told(identity: ""),
        in partition: Partition = .anonymous,
        beside neighbour: (any ChainPolicy)? = nil
    ) async throws -> CallIdentity {
        let sources = Recorder<CallIdentitySource>()
        var client = Client(transport: transport).with(Asker(sources: sources))
        if let neighbour { client = client.with(neighbour) }
        try await UrlChainsBuilder<String>(client: client).route(.get, "http://a.test").build().process()
        return try #require(sources.values.last).identity(of: request, in: partition, by: .standard)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var positions: [ChainPosition] = [.token]
        var isObject = true
        var isIgnored = false
        var caller = " object 7"
    }

    @Test(
        "an object behind the node names a caller without a partition, unless it is the node's own",
        arguments: [
            Row(testDescription: "behind"), Row(testDescription: "on both sides", positions: [.headers, .token]),
            Row(testDescription: "before", positions: [.headers], caller: ""),
            Row(testDescription: "the node's own", isIgnored: true, caller: ""),
            Row(testDescription: "no object", isObject: false, caller: ""),
        ]
    )
    func objects(row: Row) async throws {
        let holder = Holder()
        let neighbour = Neighbour(
            positions: row.positions,
            scope: row.isObject ? .object(ObjectIdentifier(holder)) : .none,
            isIgnored: row.isIgnored
        )
        let request = TransportRequest(url: url("http://a.test/"))
        let anonymous = try await Self.identity(of: request, beside: neighbour)
        #expect(anonymous == CallIdentity(caller: row.caller, isStable: row.caller.isEmpty))
        let named = try await Self.identity(of: request, in: Partition("ann"), beside: neighbour)
        #expect(named == CallIdentity(partition: Partition("ann").name))
    }

    @Test("a node of unknown scope behind the node makes the caller unknown, one before it does not")
    func unknown() async throws {
        let request = TransportRequest(url: url("http://a.test/"))
        for (position, isShareable) in [(ChainPosition.attempt, false), (.headers, true)] {
            let neighbour = Neighbour(positions: [position], scope: .unknown)
            #expect(try await Self.identity(of: request, beside: neighbour).isShareable == isShareable)
        }
    }

    @Test("a transport tells its certificate, nothing, or is a caller of its own that no other process knows")
    func transports() async throws {
        let request = TransportRequest(url: url("http://a.test/"))
        for (told, caller) in [("", ""), ("0a1b", " certificate 0a1b"), (nil, " transport 7")] {
            let found = try await Self.identity(of: request, by: Told(identity: told))
            #expect(found == CallIdentity(caller: caller, isStable: told != nil))
        }
    }

    @Test("credentials of the request name its caller by a digest, on its own not for other processes")
    func credentials() async throws {
        func found(
            _ text: String,
            _ headers: Headers = [:],
            _ partition: Partition = .anonymous
        ) async throws -> CallIdentity {
            try await Self.identity(of: TransportRequest(url: url(text), headers: headers), in: partition)
        }
        let plain = "http://a.test/?at=@"
        let callers = [
            try await found(plain, ["Authorization": "Bearer a"]),
            try await found(plain, ["authorization": "Bearer b"]),
            try await found(plain, ["X-User-Id": "1"]), try await found("http://u:p@a.test/"),
            try await found("https://u:q@a.test/"),
        ]
        #expect(Set(callers.map(\.caller)).count == callers.count)
        for caller in callers {
            #expect(caller.caller.hasPrefix(" credentials ") && !caller.isStable && caller.isShareable)
        }
        #expect(try await found(plain, ["authorization": "Bearer a"]) == callers[0])
        #expect(try await found("https://u:p@b.test/") == callers[3])
        #expect(try await found(plain, ["Accept": "*/*", "X-Page": "2"]) == CallIdentity())
        #expect(try await found(plain, ["Authorization": "Bearer a"], Partition("ann")).isStable)
        // What looks like credentials under a harmless name may name anybody.
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
        #expect(try await found(plain, ["X-Page": token]) == CallIdentity(isShareable: false))
    }

    @Test(
        "a trailer whose value may be a secret makes the caller unknown",
        arguments: ["X-Api-Key", "X-User-Id", "X-Sum"]
    )
    func trailers(name: String) async throws {
        let body = RequestBody.bytes(Data("a".utf8)).trailer(name) { "1" }
        let request = TransportRequest(method: .post, url: url("http://a.test/"), body: body)
        #expect(try await Self.identity(of: request) == CallIdentity(isShareable: name == "X-Sum"))
    }
}
