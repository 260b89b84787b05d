import CPlainCurl
import CoreNetKit
import CoreNetKitChain
import CoreNetKitCurl
import CoreNetKitEndpoints
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitObservability
import Dispatch
import Glibc
import ProgramArguments
import Synchronization

// Repeats one kind of work: run under callgrind by .ci/instructions, twice, for the difference. Small GETs are sent 64 at a
// time. Synchronous, because callgrind does not follow a main thread that exits. Prints its allocations at the end.

struct ItemEntry: Decodable, Sendable {
    let sku: String
    let count: Int
}

struct HelloEntry: Decodable, RawDecodable, Sendable {
    typealias Raw = Json
    let id: Int
    let name: String
    let tags: [String]
    let items: [ItemEntry]
    let total: Int
}

struct Hello: DTODecodable, Sendable {
    let id: Int
    let name: String
    let total: Int
    static func from(dto: HelloEntry) -> Hello { Hello(id: dto.id, name: dto.name, total: dto.total) }
}

struct PlainHello: Decodable, Sendable {
    let id: Int
    let name: String
    let tags: [String]
    let items: [ItemEntry]
    let total: Int
}

struct Picture: Codable, Sendable {
    let id: String
    let ref: String
}

struct Person: Codable, Sendable {
    let name: String
    let age: Int
    let email: String
    let photos: [Picture]
}

let body = """
    {"id":7,"name":"hello","tags":["a","b","c"],"owner":{"id":1,"name":"Ada","email":"ada@example.com"},\
    "items":[{"sku":"s-1","count":2},{"sku":"s-2","count":5},{"sku":"s-3","count":9}],"total":16,"ok":true}
    """

func people() throws -> Data {
    let people = (0..<1000).map { user in
        Person(
            name: "User \(user) سلام 사용자",
            age: user % 90,
            email: "user\(user)@example.com",
            photos: (0..<3).map {
                Picture(id: "\(user)-\($0)", ref: "https://img.example.com/\(user)/\($0).png")
            }
        )
    }
    return try Json(encoding: people, as: JsonCoding()).data()
}

/// A page of users, 2.6 kB: what the kind `gzip` reads compressed.
func page() throws -> String { String(decoding: try people().prefix(2600), as: UTF8.self) }

enum Page: UrlRouteProvider {
    case hello

    nonisolated(unsafe) static var base: URL?

    func url() throws -> URL { try Self.base + "/hello" }
}

/// Something was not done: the count would be too low.
struct NotDone: Error { let what: String }

let arguments = ProgramArguments(
    """
    usage: Instructions KIND COUNT URL

    c|transport|decoding|prebuilt|built|loop|recorded|callbacks|policies|gzip|body|users|library
    over a WebSocket, with the URL of echo-server: c-echo|echo
    many: transport, 1000 at a time; over TLS: tls-transport|tls-built
    over HTTP/2: h2-transport|h2-built with TLS, h2c-transport without
    without network: silent|noted|frozen|unmetered|metered|limited|grouped|endpoints|balanced|fields|secrets
      chain-prebuilt|chain-built|chain-plain|chain-query|chain-policies
    """,
    values: 3
)
guard arguments.values.count == 3, let base = URL(string: arguments.values[2]) else {
    arguments.refuse("KIND, COUNT and URL are needed")
}
let count = arguments.number(at: 1, default: 0)
let kind = arguments.values[0]
func finish() -> Never {
    print("allocations", allocation_count())
    exit(0)
}
Page.base = base
let url = base.appending(path: kind == "gzip" ? "page" : "hello")
let inFlight = kind == "many" ? 1000 : 64

switch kind {
case "c": if plain_multi_get(url.absoluteString, count, inFlight, 0, nil) == 0 { finish() } else { exit(1) }
case "c-echo":
    // One send per message.
    if plain_echo(base.absoluteString, echoSize, echoesAhead, count, 0) == 0 { finish() } else { exit(1) }
case "echo-server": serveEchoes()
case "library", "server", "page":
    // The latter two are the content for the server of the measurements.
    print(kind == "library" ? String(cString: plain_library()) : kind == "page" ? try page() : body, terminator: "")
    exit(0)
case "body":
    let data = Data(body.utf8)
    for _ in 0..<count { _ = try Json(undecoded: data).decode(HelloEntry.self) }
    finish()
case "users":
    let data = try people()
    for _ in 0..<count { _ = try Json(undecoded: data).decode([Person].self) }
    finish()
case "fields", "secrets":
    // The check of fields by which a cache determines the user of a call; `fields` is the loop without the check.
    let headers: Headers = ["Accept": "application/json"]
    let isBare = kind == "fields"
    var secret = 0
    for _ in 0..<count {
        for field in headers.fields {
            let isSecret = isBare ? field.name.isEmpty : !SecretRules.standard.isCommon(field: field.name)
            if isSecret { secret += 1 }
        }
    }
    guard secret == 0 else { exit(1) }
    finish()
default: break
}

/// Runs work to its end and ends the program: waits, because callgrind does not follow a main thread that exits.
func finish(on executor: (any TaskExecutor)? = nil, after work: @escaping @Sendable () async throws -> Void) -> Never {
    let end = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: executor) {
        do { try await work() } catch {
            print(error)
            exit(1)
        }
        end.signal()
    }
    end.wait()
    finish()
}

if kind == "echo" { finish { try await echoes(count, base) } }

if let cost = EventCost(kind, url: url) {
    cost.run(count)
    exit(0)
}

var configuration = CurlTransport.Configuration()
configuration.connectionsPerHost = 1024
configuration.totalConnections = 1024
let isEncrypted = ["tls-", "h2-"].contains { kind.hasPrefix($0) }
if isEncrypted { configuration.tls.verifiesServer = false }
if kind.hasPrefix("tls-") { configuration.httpVersion = .http1 }
if kind.hasPrefix("h2c-") { configuration.httpVersion = .http2PriorKnowledge }
let transport = CurlTransport(configuration: configuration)
// Chains are counted without a transport.
let isDry = kind.hasPrefix("chain-")
// Under callgrind, beside other work, handshakes take longer than the default timeout of 10 s.
let long = Duration.seconds(600)
let limits = isEncrypted ? Timeouts(phases: long) : Timeouts()
let bare = Client(transport: isDry ? PrebuiltTransport(Data(body.utf8), from: url) : transport)
let client = isEncrypted ? bare.set(timeouts: limits) : bare
let request = TransportRequest(url: url, timeouts: limits)
@Sendable func chain(_ client: Client) -> Chain<Void, Hello> {
    UrlChainsBuilder<Page>(client: client).route(.get, .hello).build()
}
let prebuilt = chain(client)
let tokens = TokenRefresher(token: AccessToken("t"), origins: .only([base.absoluteString])) { _ in AccessToken("t")
}
let guarded = client.retry().authorize(tokens).limit(perHost: 64).breaker(CircuitBreaker()).idempotencyKey()
// All records must be delivered: a dropped one costs nothing.
let written = Mutex(0)
let recorded = client.record(to: ClosureCallSink { _ in written.withLock { $0 += 1 } }, limit: count)
let instant = Client(transport: LazyHeadTransport(body: Data(body.utf8)))
let plain = chain(instant)
let metered = chain(instant.record(to: CallMetrics()))
let members: [Endpoints.Member] = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
func chain(_ strategy: Endpoints.Strategy) -> Chain<Void, Hello> {
    chain(instant.endpoints(Endpoints("\(Origin(base))", members, choosing: strategy)))
}
let ordered = chain(.ordered())
let balanced = chain(.leastLoaded)
let grouped = chain(instant.group(Client.CallGroup()))
let chains: [String: @Sendable () async throws -> Void] = [
    "transport": { _ = try await transport.send(request) },
    "gzip": {
        let response = try await transport.send(request)
        guard response.isDecoded, response.body.data?.count ?? 0 >= 2600 else { throw NotDone(what: "compression") }
    },
    "decoding": {
        let response = try await transport.send(request)
        guard let data = response.body.data else { return }
        _ = try Json(undecoded: data).decode(HelloEntry.self)
    },
    "prebuilt": { _ = try await prebuilt.process() as Hello },
    "built": { _ = try await chain(client).process() as Hello },
    "plain": {
        let chain: Chain<Void, PlainHello> = UrlChainsBuilder<Page>(client: client).route(.get, .hello).build()
        _ = try await chain.process() as PlainHello
    },
    "query": {
        let chain: Chain<Json, Hello> = UrlChainsBuilder<Page>(client: client).set(query: ["page": 2])
            .route(.get, .hello).build()
        _ = try await chain.process(["q": "a"]) as Hello
    },
    // Without network, so that only what is measured differs.
    "unmetered": { _ = try await plain.process() as Hello },
    "metered": { _ = try await metered.process() as Hello },
    // To one of two members.
    "endpoints": { _ = try await ordered.process() as Hello },
    "balanced": { _ = try await balanced.process() as Hello },
    // As members of a group.
    "grouped": { _ = try await grouped.process() as Hello },
    "recorded": { _ = try await chain(recorded).process() as Hello },
    "callbacks": {
        let chain: Chain<Void, Hello> = UrlChainsBuilder<Page>(client: client)
            .set(responseQueue: .global()).route(.get, .hello).build()
        let observer: Observer<Hello> = chain.process()
        _ = try await observer.value
    },
    "policies": { _ = try await chain(guarded).process() as Hello },
]
let isOnLoop = kind == "loop"
/// The kind without its connection prefix; `limited` is the same while other code of the process has a time limit.
let work =
    ["loop": "built", "many": "transport", "limited": "unmetered"][kind]
    ?? String(kind.split(separator: "-").last ?? "")
guard let call = chains[work] else { exit(2) }

finish(on: isOnLoop ? transport.taskExecutor() : nil) {
    if kind == "limited" {
        // Another task with a limit, for as long as the program runs.
        Task.detached {
            await CallClock.continuous.within(.seconds(3600)) {
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<inFlight {
            let share = count / inFlight + (lane < count % inFlight ? 1 : 0)
            group.addTask { for _ in 0..<share { try await call() } }
        }
        try await group.waitForAll()
    }
    guard kind == "recorded" else { return }
    await recorded.flushRecords()
    let delivered = written.withLock { $0 }
    guard delivered == count else { throw NotDone(what: "delivery of \(count - delivered) records") }
}
