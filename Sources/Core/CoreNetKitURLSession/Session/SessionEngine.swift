import CoreNetKitHTTP
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One session, and the queue on which everything about it happens.
///
/// It is never invalidated: on Linux, releasing a session can abort the process, and so can a task of an invalidated one.
/// That is why transports with equal settings share one.
final class SessionEngine: Sendable {
    /// Delegate calls, timers and the limiter run here, so none of them needs a lock.
    ///
    /// Code here must not wait for the session, because on Linux the session waits for this queue.
    let queue = DispatchQueue(label: "CoreNetKit.URLSession", qos: .userInitiated)
    let limiter: HostLimiter
    let router: SessionRouter
    /// Tasks are created, started and cancelled here: on Linux these calls wait for the session.
    private let control = DispatchQueue(label: "CoreNetKit.URLSession.control", qos: .userInitiated)
    private let session: URLSession

    /// - Throws: `TransportError` with code `clientCertificateRejected` if a client certificate is not available.
    init(_ configuration: URLSessionTransport.Configuration) throws(TransportError) {
        limiter = HostLimiter(perHost: configuration.connectionsPerHost)
        router = try SessionRouter(configuration, on: queue)
        let delegateQueue = DelegateQueue(queue)
        session = URLSession(
            configuration: configuration.sessionConfiguration(),
            delegate: router,
            delegateQueue: delegateQueue
        )
    }

    func start(_ exchange: SessionExchange, _ body: UploadBody) {
        control.async { [self] in
            let task = makeTask(exchange.plan, body)
            router.add(exchange, for: task)
            queue.async { exchange.attached(task) }
            task.resume()
        }
    }

    #if !canImport(FoundationNetworking)
        /// Opens a WebSocket; it has a connection of its own, and does not count for the host's limit.
        func open(_ socket: SessionSocket, _ request: URLRequest) {
            control.async { [self] in
                let task = session.webSocketTask(with: request)
                router.add(socket, for: task)
                queue.async { socket.attached(task) }
                task.resume()
            }
        }
    #endif

    func cancel(_ task: URLSessionTask) {
        router.remove(task)
        control.async { task.cancel() }
    }

    /// Uses upload tasks for bodies, because only they add no `Content-Type`.
    private func makeTask(_ plan: RequestPlan, _ body: UploadBody) -> URLSessionTask {
        switch body {
        case .none: session.dataTask(with: plan.urlRequest)
        case .data(let data): session.uploadTask(with: plan.urlRequest, from: data)
        case .file(let url, _): session.uploadTask(with: plan.urlRequest, fromFile: url)
        }
    }
}
