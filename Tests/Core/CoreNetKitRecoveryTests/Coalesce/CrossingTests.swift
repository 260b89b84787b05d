import TestSupport

/// `.ci/proofs schedules` tries ten thousand.
@Suite("No response crosses from one user to another", .timeLimit(.minutes(10)), .paced)
struct CrossingTests {
    private static let seeds = TestRounds.seeds(100)

    @Test("two users, random chains, random policies")
    func random() async throws {
        var shared = 0
        for seed in Self.seeds {
            let world = CrossingWorld(seed: UInt64(seed))
            let crossed = try await world.run()
            #expect(crossed == [], "seed \(seed)")
            shared += world.shared
        }
        // Nothing can cross if nothing is shared.
        #expect(shared > Self.seeds.count / 2)
    }

    @Test("each thing that distinguishes users is enough by itself", arguments: CrossingWorld.Identity.allCases)
    func alone(identity: CrossingWorld.Identity) async throws {
        for seed in 0..<20 {
            let world = CrossingWorld(seed: UInt64(seed), identities: [identity])
            #expect(try await world.run() == [])
        }
    }
}

/// Two users of one client, each with calls that look the same.
final class CrossingWorld: Sendable {
    /// What makes a user's calls the user's own.
    ///
    /// A field that no key of a request shows tells the server, which responds with the user's name.
    enum Identity: CaseIterable, Sendable {
        /// A refresher for each user.
        case token
        /// A partition for each user; the node that adds the name does not declare a scope.
        case partition
        /// A custom node that declares its user as its scope.
        case scopedNode
        /// A custom node that declares nothing.
        case unknownNode
        /// A transport for each user, a value.
        case valueTransport
        /// A transport for each user, an object.
        case objectTransport
    }

    private final class User: Sendable {
        let name: String
        let refresher: TokenRefresher

        init(_ name: String) {
            self.name = name
            refresher = TokenRefresher(token: AccessToken(name), origins: [host]) { _ in AccessToken(name) }
        }
    }

    private struct ValueTransport: Transport {
        let wire: Wire
        var capabilities: TransportCapabilities { [] }
        func send(_ request: TransportRequest) async throws -> TransportResponse { try await wire.send(request) }
    }

    private let count: Int
    private let wire: Wire
    private let users = [User("Alice"), User("Bob")]
    private let builders: [UrlChainsBuilder<String>]
    private let wires: [Wire]

    init(seed: UInt64, identities: [Identity]? = nil) {
        var dice = SplitMix64(seed: seed)
        let chosen = identities ?? Self.some(of: Identity.allCases, &dice)
        count = Int.random(in: 2...4, using: &dice)
        let pauses = Int.random(in: 0...12, using: &dice)
        wire = Self.wire(pauses) { request in
            let told =
                request.headers["X-User"]
                ?? request.headers["Authorization"]?.split(separator: " ").last.map(String.init)
            return told ?? "nobody"
        }
        let names = users.map(\.name)
        wires = names.map { name in Self.wire(pauses) { _ in name } }
        let fields: [String]? = Bool.random(using: &dice) ? nil : ["Accept"]
        var base = UrlChainsBuilder<String>(client: wire.client()).coalesce(by: fields).route(.get, host)
        for change in Self.some(of: Self.policies, &dice) { base = change(base) }
        var builders: [UrlChainsBuilder<String>] = []
        for (index, user) in users.enumerated() {
            var own = base
            for identity in chosen { own = Self.telling(identity, user, wires[index], own) }
            builders.append(own)
        }
        self.builders = builders
    }

    /// How many calls had no exchange of their own.
    var shared: Int { count * users.count - wire.count - wires.reduce(0) { $0 + $1.count } }

    /// Starts all calls at once, the users in turn.
    ///
    /// - Returns: Responses that reached the wrong user, and whom.
    func run() async throws -> [String] {
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for _ in 0..<count {
                for (user, builder) in zip(users, builders) {
                    let chain: Chain<Void, String> = builder.build()
                    group.addTask { (user.name, try await chain.process()) }
                }
            }
            return try await group.reduce(into: []) { crossed, call in
                if call.0 != call.1 { crossed.append("\(call.0) got what is \(call.1)'s") }
            }
        }
    }

    private static func telling(
        _ identity: Identity,
        _ user: User,
        _ wire: Wire,
        _ builder: UrlChainsBuilder<String>
    ) -> UrlChainsBuilder<String> {
        switch identity {
        case .token: builder.authorize(user.refresher)
        case .partition: naming(user, .none, builder).set(partition: Partition(user.name))
        case .scopedNode: naming(user, .object(ObjectIdentifier(user)), builder)
        case .unknownNode: naming(user, .unknown, builder)
        case .valueTransport: builder.set(transport: ValueTransport(wire: wire))
        case .objectTransport: builder.set(transport: wire)
        }
    }

    /// Adds the name where no key sees it any more.
    private static func naming(
        _ user: User,
        _ scope: PolicyScope,
        _ builder: UrlChainsBuilder<String>
    ) -> UrlChainsBuilder<String> {
        let name = user.name
        return builder.insert(at: .exchange, scope: scope) { next in
            AnyNode("Tenant", before: next) { request, _ in request.headers["X-User"] = name }
        }
    }

    private typealias Change = @Sendable (UrlChainsBuilder<String>) -> UrlChainsBuilder<String>

    /// Policies that do not change whose call it is.
    private static let policies: [Change] = [
        { $0.retry(.standard) },
        { $0.limit(ConcurrencyLimiter(total: 2)) },
        { $0.breaker(CircuitBreaker()) },
        { $0.set(redirectLimit: 0) },
        { $0.set(metadata: ["Accept-Language": "de"]) },
        { $0.set(query: ["page": 1]) },
        { $0.add(provider: ["X-Device": "d"]) },
        { $0.set(deadline: nil) },
        { $0.insert(at: .call) { AnyNode("Outside", before: $0) } },
    ]

    /// At least one of them.
    private static func some<Element>(of all: [Element], _ dice: inout SplitMix64) -> [Element] {
        let one = Int.random(in: all.indices, using: &dice)
        let isMany = Bool.random(using: &dice)
        return all.indices.filter { $0 == one || isMany && Int.random(in: 0..<3, using: &dice) == 0 }.map { all[$0] }
    }

    private static func wire(_ pauses: Int, _ name: @escaping @Sendable (TransportRequest) -> String) -> Wire {
        Wire { _, request in
            for _ in 0..<pauses { await Task.yield() }
            return .init(status: 200, body: .bytes(Data(name(request).utf8)), url: request.url)
        }
    }
}
