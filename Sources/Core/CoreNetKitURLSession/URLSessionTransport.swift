public import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
public import Foundation

#if canImport(FoundationNetworking)
    import CoreNetKitCurl
#endif

/// Sends requests with `URLSession`: the default transport on Apple platforms.
///
/// ### Choose it
/// On Apple platforms, where the system's proxies, certificates and power management count. On Linux `CurlTransport`
/// is faster and does more; this one is for programs that must share `URLSession`'s behaviour.
///
/// ### What it does
/// Transports with equal ``Configuration``s share one session without cache, cookies and credentials, with at most 6
/// concurrent exchanges per host by default; others wait in order. A session exists as long as the process. Timeouts are
/// its own, precise to the millisecond. Redirects and 401 are responses like any other. Features that the platform lacks
/// are missing in ``capabilities``; `Docs/Transports.md` lists them with the reasons.
public struct URLSessionTransport: Transport {
    private let source: SharedSession

    /// Creates a transport; its session starts with the first request.
    ///
    /// - Parameter configuration: The settings for all exchanges. `send` refuses settings that the platform lacks with
    ///   `unsupported`, invalid values with `invalidRequest`, and an unavailable client certificate with
    ///   `clientCertificateRejected`.
    public init(configuration: Configuration = .init()) { source = .of(configuration) }

    /// The capabilities of the platform's `URLSession` with these settings.
    public var capabilities: TransportCapabilities {
        // QUIC does not pass through these proxies.
        if case .server = source.configuration.proxy { return Self.platformCapabilities.subtracting(.http3) }
        return Self.platformCapabilities
    }

    /// The digest of the client certificate for the URL's host; empty without one, or without TLS.
    ///
    /// `nil` for one in the keychain: its label does not identify the certificate in another process.
    public func clientIdentity(for url: URL) -> String? {
        let configuration = source.configuration
        guard configuration.tls.identity != nil || !configuration.hosts.isEmpty else { return "" }
        let origin = Origin(url)
        guard origin.isSecure else { return "" }
        switch configuration.hosts[HostName.lookedUp(origin.host)]?.identity ?? configuration.tls.identity {
        case nil: return ""
        case .pkcs12(let bytes, _): return Hex.encode(SHA256.digest(bytes))
        case .keychain, .files, .pem: return nil
        }
    }

    /// Sends a request with an absolute URL and returns the response, whatever its status.
    ///
    /// Its content has the form that `request.delivery` asks for.
    ///
    /// - Throws: `TransportError`, or `CancellationError` when the task was cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let engine: SessionEngine
        let exchange: SessionExchange
        do {
            try Task.checkCancellation()
            engine = try source.engine()
            try request.validate(for: capabilities)
            #if !canImport(FoundationNetworking)
                if request.delivery == .duplex { return try await connect(request, engine) }
            #endif
            exchange = SessionExchange(try RequestPlan(request), on: engine)
        } catch {
            // Also if nothing was started.
            request.monitor?.update { $0.isEnded = true }
            throw error
        }
        defer { exchange.handOver.synchronize() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                engine.queue.async { exchange.start(continuation) }
            }
        } onCancel: {
            // Never cancel the task here: its lock and the runtime's lock of this handler could deadlock.
            engine.queue.async { exchange.cancel() }
        }
    }
}

#if !canImport(FoundationNetworking)
    extension URLSessionTransport {
        /// Opens a WebSocket with the platform's own task: there is no other access to a connection after a 101.
        private func connect(_ request: TransportRequest, _ engine: SessionEngine) async throws -> TransportResponse {
            let socket = try SessionSocket(request, on: engine)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    engine.queue.async { socket.start(continuation) }
                }
            } onCancel: {
                engine.queue.async { socket.cancel() }
            }
        }
    }
#endif

extension URLSessionTransport {
    #if canImport(FoundationNetworking)
        /// The same libcurl decides about encodings and HTTP/2.
        private static let platformCapabilities = TransportCapabilities([
            .streamingUpload, .streamingDownload, .progress,
        ])
        .union(CurlLibrary.capabilities.intersection(.http2)).union(CurlLibrary.decodings)
    #else
        private static let platformCapabilities = appleCapabilities
    #endif

    /// Available on every platform, for the table in the documents.
    package static let appleCapabilities: TransportCapabilities = [
        .streamingUpload, .streamingDownload, .timings, .http2, .http3, .gzip, .brotli, .progress, .proxies,
        .customTrust,
        .clientCertificates, .publicKeyPinning, .duplex,
    ]
}
