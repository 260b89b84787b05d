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

    /// Delegate calls, timers, cancellation and the limiter run here, so none of them needs a lock.
    let queue = DispatchQueue(label: "CoreNetKit.URLSession", qos: .userInitiated)
    let limiter = HostLimiter(perHost: 6)
    let router = SessionRouter()
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
        let delegateQueue = OperationQueue()
        delegateQueue.underlyingQueue = queue
        delegateQueue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: delegateQueue)
    }

    /// Makes a task for the plan; upload tasks, because only they add no `Content-Type` of their own.
    func makeTask(_ plan: RequestPlan, body: UploadBody) -> URLSessionTask {
        switch body {
        case .none: session.dataTask(with: plan.urlRequest)
        case .data(let data): session.uploadTask(with: plan.urlRequest, from: data)
        case .file(let url, _): session.uploadTask(with: plan.urlRequest, fromFile: url)
        }
    }
}
