import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#else
    import Security
#endif

/// Forwards delegate calls, which come on the engine's queue, to their exchange.
final class SessionRouter: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Locked<[Int: SessionExchange]>([:])
    #if !canImport(FoundationNetworking)
        private let trust: ServerTrust
        private let identities: ClientIdentities
        private let sockets = Locked<[Int: SessionSocket]>([:])
    #endif

    init(_ configuration: URLSessionTransport.Configuration, on queue: DispatchQueue) throws(TransportError) {
        #if !canImport(FoundationNetworking)
            trust = ServerTrust(rule: TrustRule(configuration), queue: queue)
            identities = try ClientIdentities(configuration)
        #endif
    }

    func add(_ exchange: SessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func remove(_ task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = nil }
        #if !canImport(FoundationNetworking)
            sockets.withLock { $0[task.taskIdentifier] = nil }
        #endif
    }

    private func exchange(_ task: URLSessionTask) -> SessionExchange? { exchanges.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(task)?.sent(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.received(data)
    }

    /// Redirects are responses; a cancelled task's handler is not called, which traps on Linux.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            guard exchange(task) != nil else { return }
        #endif
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // It arrives after the complete 401; without a reply to the challenge, the task ends with that response.
            exchange(task)?.completed(nil)
        #else
            meet(challenge, of: task, completionHandler)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(task)?.completed(error)
        #if !canImport(FoundationNetworking)
            guard let socket = socket(task) else { return }
            remove(task)
            socket.completed(task, error)
        #endif
    }

    #if !canImport(FoundationNetworking)
        func add(_ socket: SessionSocket, for task: URLSessionTask) {
            sockets.withLock { $0[task.taskIdentifier] = socket }
        }

        private func socket(_ task: URLSessionTask) -> SessionSocket? { sockets.withLock { $0[task.taskIdentifier] } }

        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
            exchange(task)?.waitsForNetwork = true
        }

        private func meet(
            _ challenge: URLAuthenticationChallenge,
            of task: URLSessionTask,
            _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodClientCertificate:
                guard let credential = identities.credential(for: space.host) else { break }
                return completionHandler(.useCredential, credential)
            case NSURLAuthenticationMethodServerTrust:
                guard trust.rule.applies(to: space.host) else { break }
                let shown: SecTrust? = space.serverTrust
                guard let shown else { break }
                return trust.check(shown, of: space.host) { [self] shown, refusal in
                    guard let (code, message) = refusal else {
                        return completionHandler(.useCredential, URLCredential(trust: shown))
                    }
                    // The reason first: later the task reports only that it was cancelled.
                    exchange(task)?.refused(code, message)
                    socket(task)?.refused(code, message)
                    completionHandler(.cancelAuthenticationChallenge, nil)
                }
            default: break
            }
            completionHandler(.performDefaultHandling, nil)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
        {
            exchange(task)?.measured(metrics)
        }
    #endif
}

#if !canImport(FoundationNetworking)
    extension SessionRouter: URLSessionWebSocketDelegate {
        func urlSession(
            _ session: URLSession,
            webSocketTask: URLSessionWebSocketTask,
            didOpenWithProtocol selected: String?
        ) {
            guard let socket = socket(webSocketTask) else { return }
            // From now on the owner of the connection handles events.
            remove(webSocketTask)
            socket.opened(webSocketTask, selected)
        }

        /// The task stores the close code; the reader notices the close by the end of the messages.
        func urlSession(
            _ session: URLSession,
            webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
            reason: Data?
        ) {}
    }
#endif
