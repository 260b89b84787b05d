public import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSystem

/// Responds by method and path.
///
/// A path is compared segment by segment, decoded and without the query; `:name` and `*` match one segment, `**` at the end
/// any rest, even none. The route added last wins. A request without a route gets a 404 that lists the routes.
extension LoopbackServer {
    /// Responds with a closure, on the server's thread; an error becomes a 500.
    ///
    /// Of several routes that match, the one added last wins.
    public func on(
        _ method: HTTPMethod,
        _ path: String,
        _ handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) {
        routes.add(method, path, .sync(handler))
    }

    /// Responds with an asynchronous closure, in a task that is cancelled when the client is gone; the route added last wins.
    public func on(
        _ method: HTTPMethod,
        _ path: String,
        _ handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        routes.add(method, path, .async(handler))
    }

    /// Sends these responses, one after another; the last one is repeated.
    ///
    /// The route added last wins.
    public func on(_ method: HTTPMethod, _ path: String, _ first: LoopbackResponse, _ others: LoopbackResponse...) {
        let script = [first] + others
        let position = Locked(0)
        on(method, path) { _ in
            position.withLock { position in
                defer { position = min(position + 1, script.count - 1) }
                return script[position]
            }
        }
    }

    /// Decides by the head alone: a response is sent at once, the body stays unread and the connection is closed (over HTTP/2
    /// the stream); `nil` continues as usual.
    public func onHead(
        _ method: HTTPMethod,
        _ path: String,
        _ decide: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse?
    ) {
        routes.addHead(method, path, decide)
    }

    /// Decides what happens to each new connection, by its number.
    public func onConnect(_ decide: @escaping @Sendable (Int) -> LoopbackAdmission) { routes.admit(decide) }
}

/// The handlers of requests; the route added last wins.
final class Routes: Sendable {
    enum Handler: Sendable {
        case sync(@Sendable (LoopbackRequest) throws -> LoopbackResponse)
        case async(@Sendable (LoopbackRequest) async throws -> LoopbackResponse)
    }

    typealias HeadHandler = @Sendable (LoopbackRequest) -> LoopbackResponse?

    private typealias Route<Reply> = (method: HTTPMethod, pattern: PathPattern, reply: Reply)

    private struct State: Sendable {
        var fallback: Handler?
        var routes: [Route<Handler>] = []
        var heads: [Route<HeadHandler>] = []
        var admission: (@Sendable (Int) -> LoopbackAdmission)?
    }

    private let state: Locked<State>

    init(fallback: Handler?) { state = Locked(State(fallback: fallback)) }

    func add(_ method: HTTPMethod, _ pattern: String, _ handler: Handler) {
        state.withLock { $0.routes.append((method, PathPattern(pattern), handler)) }
    }

    func addHead(_ method: HTTPMethod, _ pattern: String, _ handler: @escaping HeadHandler) {
        state.withLock { $0.heads.append((method, PathPattern(pattern), handler)) }
    }

    func admit(_ decide: @escaping @Sendable (Int) -> LoopbackAdmission) { state.withLock { $0.admission = decide } }

    func admission(of connection: Int) -> LoopbackAdmission {
        state.withLock { $0.admission }?(connection) ?? .accept
    }

    var hasHeadHandlers: Bool { state.withLock { !$0.heads.isEmpty } }

    func headReply(for request: LoopbackRequest) -> LoopbackResponse? {
        var request = request
        return Self.match(state.withLock { $0.heads }, &request)?(request)
    }

    func handler(for request: inout LoopbackRequest) -> Handler {
        let (routes, fallback) = state.withLock { ($0.routes, $0.fallback) }
        if !routes.isEmpty, let handler = Self.match(routes, &request) { return handler }
        return fallback ?? .sync { Self.notFound($0, routes.map { ($0.method, $0.pattern.text) }) }
    }

    /// Releases the handlers and what they capture.
    func clear() {
        let before = state.withLock { state in
            defer { state = State() }
            return state
        }
        withExtendedLifetime(before) {}
    }

    private static func match<Reply>(_ routes: [Route<Reply>], _ request: inout LoopbackRequest) -> Reply? {
        guard !routes.isEmpty else { return nil }
        let path = request.path
        for route in routes.reversed() where route.method == request.method {
            guard let parameters = route.pattern.match(path) else { continue }
            request.parameters = parameters
            return route.reply
        }
        return nil
    }

    private static func notFound(_ request: LoopbackRequest, _ known: [(HTTPMethod, String)]) -> LoopbackResponse {
        let list = known.map { "\n  \($0.0) \($0.1)" }.joined()
        return .text(
            "no route for \(request.method) \(request.path)"
                + (known.isEmpty ? "; this server has no routes" : "; known routes:" + list) + "\n",
            status: 404
        )
    }
}
