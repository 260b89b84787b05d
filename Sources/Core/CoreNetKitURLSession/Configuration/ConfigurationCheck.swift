import CoreNetKitHTTP
import Foundation

extension URLSessionTransport.Configuration {
    /// The invalid or unsupported setting, with which every exchange is refused; `nil` if there is none.
    var problem: TransportError? { invalid.map(RequestCheck.invalid) ?? lacking.map(Self.unsupported) }

    /// Whether server certificates need a custom check.
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
        if case .certificates(let authorities) = tls.authorities {
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
        RequestCheck.unsupported(
            "the transport's configuration asks for \(what), which URLSession on Linux lacks; use CurlTransport"
        )
    }
}

extension URLSessionTransport.Configuration.TLS {
    var hasPins: Bool { !pinnedKeys.isEmpty || !pinnedCertificates.isEmpty }
}

extension URLSessionTransport.Configuration.Host {
    var hasPins: Bool { !pinnedKeys.isEmpty || !pinnedCertificates.isEmpty }
}
