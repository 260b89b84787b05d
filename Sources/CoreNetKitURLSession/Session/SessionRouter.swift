import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hands what the session reports to the exchange that it is about.
///
/// `@unchecked Sendable`: used on the engine's queue only, which is also the queue of the delegate.
final class SessionRouter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private var exchanges: [Int: SessionExchange] = [:]

    func add(_ exchange: SessionExchange, for task: URLSessionTask) { exchanges[task.taskIdentifier] = exchange }

    func remove(_ task: URLSessionTask) { exchanges[task.taskIdentifier] = nil }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchanges[task.taskIdentifier]?.sent(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchanges[dataTask.taskIdentifier]?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchanges[dataTask.taskIdentifier]?.received(data)
    }

    /// Redirects are responses; a node follows them.
    ///
    /// The handler of a cancelled task is not called: on Linux that traps.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard exchanges[task.taskIdentifier] != nil else { return }
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // It comes behind the whole 401, and no answer to it lets the task end with that response.
            exchanges[task.taskIdentifier]?.completed(nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchanges[task.taskIdentifier]?.completed(error)
    }

    #if !canImport(FoundationNetworking)
        func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
        {
            exchanges[task.taskIdentifier]?.measured(metrics)
        }
    #endif
}
