import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The one session of the process and the one queue on which everything about it happens.
///
/// It is never invalidated: on Linux a session that goes away can abort the process, and so does a task made from an
/// invalidated one.
final class SessionEngine: Sendable {
    static let shared = SessionEngine()

    /// Delegate calls, timers and the limiter run here, so none of them needs a lock.
    ///
    /// Nothing here may wait for the session, because on Linux the session waits for this queue.
    let queue = DispatchQueue(label: "CoreNetKit.URLSession", qos: .userInitiated)
    let limiter = HostLimiter(perHost: 6)
    let router = SessionRouter()
    /// Tasks are made, started and cancelled here: on Linux these calls wait for the session.
    private let control = DispatchQueue(label: "CoreNetKit.URLSession.control", qos: .userInitiated)
    private let session: URLSession

    private init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        // The timeouts are ours: on Linux these are cut to whole seconds, and the second one is not used at all.
        configuration.timeoutIntervalForRequest = 604_800
        configuration.timeoutIntervalForResource = 604_800
        // More than the limiter lets through: a task that libcurl itself lets wait traps on Linux.
        configuration.httpMaximumConnectionsPerHost = 64
        let delegateQueue = DelegateQueue(queue)
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: delegateQueue)
    }

    func start(_ exchange: SessionExchange, _ body: UploadBody) {
        control.async { [self] in
            let task = makeTask(exchange.plan, body)
            router.add(exchange, for: task)
            queue.async { exchange.attached(task) }
            task.resume()
        }
    }

    func cancel(_ task: URLSessionTask) {
        router.remove(task)
        control.async { task.cancel() }
    }

    /// Upload tasks for bodies, because only they add no `Content-Type` of their own.
    private func makeTask(_ plan: RequestPlan, _ body: UploadBody) -> URLSessionTask {
        switch body {
        case .none: session.dataTask(with: plan.urlRequest)
        case .data(let data): session.uploadTask(with: plan.urlRequest, from: data)
        case .file(let url, _): session.uploadTask(with: plan.urlRequest, fromFile: url)
        }
    }
}
