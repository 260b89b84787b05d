import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One session, and the queue on which everything about it happens.
///
/// Never invalidated: on Linux, releasing a session can abort the process, and so can a task of an invalidated one. So
/// transports with equal settings share one.
final class SessionEngine: Sendable {
    /// Delegate calls, timers and the limiter run here, and never wait for the session: on Linux it waits for this.
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
        let settings = configuration.sessionConfiguration()
        session = URLSession(configuration: settings, delegate: router, delegateQueue: DelegateQueue(queue))
    }

    func start(_ exchange: SessionExchange, _ body: UploadBody) {
        control.async { [self] in
            // Upload tasks for bodies, because only they add no `Content-Type`.
            let task: URLSessionTask =
                switch body {
                case .none: session.dataTask(with: exchange.plan.urlRequest)
                case .data(let data): session.uploadTask(with: exchange.plan.urlRequest, from: data)
                case .file(let url, _): session.uploadTask(with: exchange.plan.urlRequest, fromFile: url)
                }
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
}

/// The session of a configuration: shared by all transports with equal settings, created on first use.
final class SharedSession: Sendable {
    private static let sessions = Locked<[URLSessionTransport.Configuration: SharedSession]>([:])

    let configuration: URLSessionTransport.Configuration
    private let created = Locked<Result<SessionEngine, TransportError>?>(nil)

    private init(_ configuration: URLSessionTransport.Configuration) { self.configuration = configuration }

    static func of(_ configuration: URLSessionTransport.Configuration) -> SharedSession {
        sessions.withLock { sessions in
            if let session = sessions[configuration] { return session }
            let session = SharedSession(configuration)
            sessions[configuration] = session
            return session
        }
    }

    /// - Throws: The invalid setting, or why there is no session with these settings; always the same, except for a missing
    ///   client certificate, which may be available the next time.
    func engine() throws(TransportError) -> SessionEngine {
        try created.withLock { created throws(TransportError) in
            if let created { return try created.get() }
            if let problem = configuration.problem {
                created = .failure(problem)
                throw problem
            }
            let engine = try SessionEngine(configuration)
            created = .success(engine)
            return engine
        }
    }
}

/// Forwards the session's delegate calls to the engine's queue; on Linux a bounded number, because there the session
/// reads on, and content would accumulate in memory.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    #if canImport(FoundationNetworking)
        private let queue: DispatchQueue
        private let slots = DispatchSemaphore(value: 64)

        init(_ queue: DispatchQueue) {
            self.queue = queue
            super.init()
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            slots.wait()
            queue.async { [slots] in
                block()
                slots.signal()
            }
        }
    #else
        init(_ queue: DispatchQueue) {
            super.init()
            underlyingQueue = queue
            maxConcurrentOperationCount = 1
        }
    #endif
}

/// Limits concurrent exchanges per host, in order; `@unchecked Sendable`: used only on the engine's queue.
final class HostLimiter: @unchecked Sendable {
    let perHost: Int
    private var hosts: [String: (running: Int, waiting: WaitQueue<SessionExchange>)] = [:]

    init(perHost: Int) { self.perHost = perHost }

    /// Runs the exchange now or in its turn.
    func admit(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        guard hosts[key]?.running ?? 0 < perHost else {
            hosts[key, default: (0, WaitQueue())].waiting.append(exchange)
            return
        }
        hosts[key, default: (0, WaitQueue())].running += 1
        exchange.run()
    }

    func withdraw(_ exchange: SessionExchange) { hosts[exchange.plan.host]?.waiting.remove(exchange) }

    /// Releases the slot of an exchange, and runs the next one.
    func release(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        // In place: a copy would cost as much as the queue is long.
        if let next = hosts[key]?.waiting.popFirst() { return next.run() }
        hosts[key]?.running -= 1
        if hosts[key]?.running == 0 { hosts[key] = nil }
    }
}

extension SessionExchange: Hashable {
    static func == (left: SessionExchange, right: SessionExchange) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
