import CoreNetKitHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#else
    import Network
    import Security
#endif

extension URLSessionTransport.Configuration {
    /// The settings of the session: those that all transports share, and those of this configuration.
    func sessionConfiguration() -> URLSessionConfiguration {
        let session = URLSessionConfiguration.ephemeral
        session.urlCache = nil
        session.urlCredentialStorage = nil
        session.httpCookieStorage = nil
        session.httpShouldSetCookies = false
        session.httpCookieAcceptPolicy = .never
        // Timeouts are handled by this transport: on Linux these are cut to whole seconds, and the second one is not used.
        session.timeoutIntervalForRequest = 604_800
        session.timeoutIntervalForResource = 604_800
        // More than the limiter admits: on Linux, a task that libcurl queues itself traps.
        session.httpMaximumConnectionsPerHost = max(64, connectionsPerHost)
        #if !canImport(FoundationNetworking)
            session.waitsForConnectivity = waitsForConnectivity
            session.allowsCellularAccess = allowsCellularAccess
            session.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
            session.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
            session.tlsMinimumSupportedProtocolVersion = tls.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
            apply(proxy, to: session)
        #endif
        return session
    }

    #if !canImport(FoundationNetworking)
        private func apply(_ proxy: Proxy, to session: URLSessionConfiguration) {
            switch proxy {
            case .system: break
            case .none: session.connectionProxyDictionary = [:]
            case .server(let url, let credentials, let except):
                guard var way = Self.way(by: url) else { return }
                if let credentials { way.applyCredential(username: credentials.user, password: credentials.password) }
                way.excludedDomains = except
                session.proxyConfigurations = [way]
            }
        }

        /// The proxy of a URL; `nil` for one that was refused before.
        private static func way(by url: URL) -> ProxyConfiguration? {
            let scheme = url.scheme?.lowercased()
            let usual: Int = scheme == "https" ? 443 : scheme == "http" ? 80 : 1080
            guard let name = url.host, let number = UInt16(exactly: url.port ?? usual),
                let port = NWEndpoint.Port(rawValue: number)
            else { return nil }
            let place = NWEndpoint.hostPort(host: NWEndpoint.Host(name), port: port)
            switch scheme {
            case "socks5": return ProxyConfiguration(socksv5Proxy: place)
            case "https": return ProxyConfiguration(httpCONNECTProxy: place, tlsOptions: NWProtocolTLS.Options())
            default: return ProxyConfiguration(httpCONNECTProxy: place, tlsOptions: nil)
            }
        }
    #endif
}
