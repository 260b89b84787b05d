public import CoreNetKitHTTP
import CoreNetKitSystem

/// Responds by method and path.
///
/// A path is compared unchanged, without the query; `*` matches one segment, `**` at the end matches any rest, even an
/// empty one. The route added last wins. A request without a route gets a 404 that lists the routes.
extension LoopbackServer {
    /// Responds with a closure, on the server's thread; an error becomes a 500.
    public func on(
        _ method: HTTPMethod,
        _ path: String,
        _ handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) {
        routes.add(method, path, .sync(handler))
    }

    /// Responds with an asynchronous closure, in a task that is cancelled when the client is gone.
    public func on(
        _ method: HTTPMethod,
        _ path: String,
        _ handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        routes.add(method, path, .async(handler))
    }

    /// Sends these responses, one after another; the last one is repeated.
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
