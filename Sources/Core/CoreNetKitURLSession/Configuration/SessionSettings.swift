import CoreNetKitHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#else
    import Network
    import Security
#endif

extension URLSessionTransport.Configuration {
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

extension URLSessionTransport.Configuration {
    /// The invalid or unsupported setting, with which every exchange is refused; `nil` if there is none.
    var problem: TransportError? {
        invalid.map(FieldCheck.invalid) ?? lacking.map(Self.unsupported)
            ?? lackingEverywhere.map {
                .unsupported("the transport's configuration asks for \($0), which URLSession lacks")
            }
    }

    var checksServers: Bool {
        tls.authorities != .system || tls.hasPins || tls.requiresPins || hosts.values.contains { $0.hasPins }
    }

    private var invalid: String? {
        guard connectionsPerHost > 0 else { return "connectionsPerHost is \(connectionsPerHost); it must be 1 or more" }
        if case .server(let url, _, _) = proxy {
            guard url.host?.isEmpty == false else { return "the URL of the proxy has no host" }
            guard ["http", "https", "socks5"].contains(url.scheme?.lowercased()) else {
                return "the proxy is neither http, https nor socks5"
            }
            if let problem = proxy.credentialsProblem { return problem }
        }
        if let authorities = tls.readAuthorities {
            guard !authorities.isEmpty else { return "tls.authorities is an empty list: no server could be trusted" }
            if let index = authorities.firstIndex(where: { !Certificates.isReadable($0) }) {
                return "tls.authorities[\(index)] is not a certificate in DER or PEM"
            }
        }
        if let reason = Self.problem(tls.pinnedKeys, tls.pinnedCertificates) { return "tls.\(reason)" }
        for (name, host) in hosts.sorted(by: { $0.key < $1.key }) {
            if let reason = HostName.problem(name) { return reason }
            if let reason = Self.problem(host.pinnedKeys, host.pinnedCertificates) {
                return "hosts['\(name)'].\(reason)"
            }
        }
        return nil
    }

    private static func problem(_ keys: [String], _ certificates: [Data]) -> String? {
        if let index = keys.firstIndex(where: { Data(base64Encoded: $0)?.count != 32 }) {
            return "pinnedKeys[\(index)] is not the Base64 of a SHA-256"
        }
        if let index = certificates.firstIndex(where: { !Certificates.isReadable($0) }) {
            return "pinnedCertificates[\(index)] is not a certificate in DER or PEM"
        }
        return nil
    }

    private var lackingEverywhere: String? {
        if !tls.verifiesServer { return "servers that are not verified" }
        if tls.revocationList != nil { return "a file with revocation lists" }
        if hosts.values.contains(where: { $0.proxy != nil }) { return "a proxy for one host" }
        for case .some(let identity) in [tls.identity] + hosts.values.map(\.identity) {
            switch identity {
            case .files, .pem:
                return "a client certificate in PEM (`openssl pkcs12 -export` makes a PKCS #12 container)"
            case .pkcs12, .keychain: continue
            }
        }
        return nil
    }

    #if canImport(FoundationNetworking)
        private var lacking: String? {
            if checksServers { return "pins or certificate authorities" }
            if tls.identity != nil || hosts.values.contains(where: { $0.identity != nil }) {
                return "a client certificate"
            }
            if tls.minimumVersion != .tls12 { return "a lowest version of TLS" }
            if proxy != .system { return "a proxy, or none" }
            if waitsForConnectivity { return "waiting for a network" }
            let isAnyNetwork = allowsCellularAccess && allowsExpensiveNetworkAccess && allowsConstrainedNetworkAccess
            return isAnyNetwork ? nil : "a choice of networks"
        }
    #else
        private var lacking: String? { nil }
    #endif

    private static func unsupported(_ what: String) -> TransportError {
        TransportError.unsupported(
            "the transport's configuration asks for \(what), which URLSession on Linux lacks; use CurlTransport"
        )
    }
}

extension TransportTLS {
    /// The authorities' certificates; `nil` for the system's, empty where a file cannot be read.
    var readAuthorities: [Data]? {
        guard case .file(let path) = authorities else { return authorities.certificates }
        return [(try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()]
    }

    var hasPins: Bool { !pinnedKeys.isEmpty || !pinnedCertificates.isEmpty }
}

extension TransportTLS.Host {
    var hasPins: Bool { !pinnedKeys.isEmpty || !pinnedCertificates.isEmpty }
}
