import CoreNetKitHTTP
import CoreNetKitSystem

/// The session of a configuration: shared by all transports with equal settings, created on first use.
final class SharedSession: Sendable {
    private static let known = Locked<[URLSessionTransport.Configuration: SharedSession]>([:])

    let configuration: URLSessionTransport.Configuration
    private let made = Locked<Result<SessionEngine, TransportError>?>(nil)

    private init(_ configuration: URLSessionTransport.Configuration) { self.configuration = configuration }

    static func of(_ configuration: URLSessionTransport.Configuration) -> SharedSession {
        known.withLock { known in
            if let source = known[configuration] { return source }
            let source = SharedSession(configuration)
            known[configuration] = source
            return source
        }
    }

    /// - Throws: The invalid setting, or why there is no session with these settings; always the same, except for a missing
    ///   client certificate, which may be available the next time.
    func engine() throws(TransportError) -> SessionEngine {
        try made.withLock { made throws(TransportError) in
            if let made { return try made.get() }
            if let problem = configuration.problem {
                made = .failure(problem)
                throw problem
            }
            let engine = try SessionEngine(configuration)
            made = .success(engine)
            return engine
        }
    }
}
