#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// How an exchange over plain HTTP reaches its server.
    ///
    /// For TLS and SOCKS libcurl decides; an HTTP proxy is sent the whole URL, so the request's writer must know about
    /// it, and tunnels only what is to become another protocol.
    enum Route: Sendable, Hashable {
        /// As libcurl's options decide: the request is the same.
        case usual
        /// Straight to the server, although others go through an HTTP proxy.
        case direct
        /// Through an HTTP proxy, which gets the whole URL (RFC 9112, 3.2.2).
        case forward(proxy: String, authorization: String?)
        /// Through a tunnel that an HTTP proxy makes, as TLS has one: the request is the same as without a proxy.
        case tunnel(proxy: String)

        /// The same for a connection that is to switch to another protocol, which no proxy forwards (RFC 6455, 4.1).
        var switching: Route { if case .forward(let proxy, _) = self { .tunnel(proxy: proxy) } else { self } }

        var isTunnel: Bool { if case .tunnel = self { true } else { false } }

        var proxy: String? {
            switch self {
            case .usual, .direct: nil
            case .forward(let proxy, _), .tunnel(let proxy): proxy
            }
        }
    }

    extension Route: CustomStringConvertible, CustomReflectable {
        /// The kind of route, without the proxy's password.
        var description: String {
            switch self {
            case .usual: "usual"
            case .direct: "direct"
            case .forward: "by a proxy"
            case .tunnel: "by a proxy's tunnel"
            }
        }

        var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
    }

    /// Which route an exchange takes, and whether it shares its connection; Docs/Transports.md has it as a table.
    final class RouteTable: Sendable {
        private typealias Proxy = (forward: Route, except: ProxyExceptions)

        private let version: CurlTransport.Configuration.HTTPVersion
        private let all: Proxy?
        /// The inner value is `nil` if a host has its own route that is none of these.
        private let hosts: [String: Proxy?]

        init(_ configuration: CurlTransport.Configuration, environment: (String) -> String? = RouteTable.variable) {
            version = configuration.httpVersion
            all = RouteTable.proxy(configuration.proxy, environment)
            hosts = configuration.hosts.compactMapValues { host in
                host.proxy.map { RouteTable.proxy($0, environment) }
            }
        }

        var takesDuplex: Bool { version != .http2PriorKnowledge }

        /// Whether exchanges may share a connection to a server: it may speak HTTP/2, and does not switch.
        func mayShare(_ destination: borrowing Destination, isDuplex: Bool) -> Bool {
            if isDuplex { return false }
            if version == .http2PriorKnowledge { return true }
            return destination.isSecure && version != .http1 && CurlLibrary.capabilities.contains(.http2)
        }

        /// The route of an exchange; a duplex one is to switch to another protocol, which only HTTP/1.1 can request.
        func route(to destination: borrowing Destination, isDuplex: Bool = false) throws(TransportError) -> Route {
            if destination.socket != nil {
                guard CurlLibrary.capabilities.contains(.unixSockets) else {
                    throw CurlFailure.unsent(.unsupported, "the installed libcurl knows no Unix domain sockets")
                }
                return .direct
            }
            if isDuplex, !takesDuplex {
                let message = "connections in both directions need HTTP/1.1; see `httpVersion`"
                throw CurlFailure.unsent(.unsupported, message)
            }
            if destination.isSecure { return .usual }
            let route = route(to: Destination.server(of: destination.key))
            // A proxy that forwards requests reads HTTP/1.1.
            return isDuplex || version == .http2PriorKnowledge ? route.switching : route
        }

        /// The route of an `http:` request to a server, given its host in normal form.
        func route(to server: @autoclosure () -> (host: String, port: Int)) -> Route {
            if all == nil, hosts.isEmpty { return .usual }
            let server = server()
            guard let proxy = hosts[HostName.withoutZone(server.host)] ?? all else { return .usual }
            return proxy.except.cover(server) ? .direct : proxy.forward
        }

        private static func proxy(_ proxy: TransportProxy, _ environment: (String) -> String?) -> Proxy? {
            switch proxy {
            case .none: return nil
            case .server(let url, let credentials, let except):
                let exceptions = ProxyExceptions(except.joined(separator: ","))
                return forward(url.absoluteString, credentials).map { ($0, exceptions) }
            case .system:
                // libcurl reads the environment again for each connection, so it also needs to know that there is no proxy.
                guard let text = proxies(isSecure: false, environment).first else {
                    return (.direct, ProxyExceptions(""))
                }
                return forward(text, nil).map { ($0, .ofEnvironment(environment)) }
            }
        }

        private static func forward(_ text: String, _ credentials: TransportProxy.Credentials?) -> Route? {
            guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()) else {
                return nil
            }
            var authorization: String?
            if let user = credentials?.user ?? parts.user {
                let password = credentials?.password ?? parts.password ?? ""
                authorization = try? BasicCredentials.field(user: user, password: password)
            }
            return .forward(proxy: text, authorization: authorization)
        }

        /// The proxies that the environment names for a scheme, first the one that is used.
        static func proxies(isSecure: Bool, _ variable: (String) -> String?) -> [String] {
            let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
            return names.compactMap(variable).map { $0.contains("://") ? $0 : "http://" + $0 }
        }

        /// Why name and password of a proxy in the environment cannot be sent; `nil` if they can.
        static func credentialsProblem(_ variable: (String) -> String? = RouteTable.variable) -> String? {
            (proxies(isSecure: false, variable) + proxies(isSecure: true, variable)).lazy
                .compactMap { URL(string: $0).flatMap { TransportProxy.server($0).credentialsProblem } }
                .first
        }

        static func variable(_ name: String) -> String? {
            getenv(name).flatMap { String(validatingCString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// The hosts that bypass the proxy, as in `no_proxy`: names with their subdomains, addresses, networks, or ports.
    struct ProxyExceptions: Sendable {
        private typealias Network = (address: [UInt8], bits: Int)

        private var coversAll = false
        private var names: [(name: String, port: Int?)] = []
        private var networks: [(network: Network, port: Int?)] = []

        init(_ list: String) {
            for entry in list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                if entry == "*" {
                    coversAll = true
                    continue
                }
                let (text, port) = ProxyExceptions.split(entry)
                if let network = ProxyExceptions.network(text) {
                    networks.append((network, port))
                } else if let name = HostName.normal(String(text.first == "." ? text.dropFirst() : text)) {
                    names.append((name, port))
                }
            }
        }

        static func ofEnvironment(_ variable: (String) -> String?) -> ProxyExceptions {
            ProxyExceptions(variable("no_proxy") ?? variable("NO_PROXY") ?? "")
        }

        /// Whether a server, its host in normal form, is reached directly.
        func cover(_ server: (host: String, port: Int)) -> Bool {
            if coversAll { return true }
            if let address = ProxyExceptions.address(HostName.withoutZone(server.host)) {
                return networks.contains { network, port in
                    ProxyExceptions.contains(address, in: network) && (port ?? server.port) == server.port
                }
            }
            return names.contains { name, port in
                (server.host == name || server.host.hasSuffix("." + name)) && (port ?? server.port) == server.port
            }
        }

        /// The port after the only colon, or after brackets.
        private static func split(_ entry: Substring) -> (Substring, Int?) {
            guard let colon = entry.lastIndex(of: ":"), let port = UInt16(entry[colon...].dropFirst()) else {
                return (entry, nil)
            }
            let rest = entry[..<colon]
            return rest.contains(":") && !rest.hasSuffix("]") ? (entry, nil) : (rest, Int(port))
        }

        private static func network(_ entry: Substring) -> Network? {
            let parts = entry.split(separator: "/", maxSplits: 1)
            guard let first = parts.first, let address = address(String(first)) else { return nil }
            guard parts.count == 2 else { return (address, address.count * 8) }
            guard let bits = Int(parts[1]), (0...address.count * 8).contains(bits) else { return nil }
            return (address, bits)
        }

        private static func contains(_ address: [UInt8], in network: Network) -> Bool {
            address.count == network.address.count
                && (0..<network.bits).allSatisfy { bit in
                    (address[bit / 8] ^ network.address[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
                }
        }

        private static func address(_ text: String) -> [UInt8]? {
            let plain = HostName.lookedUp(text).filter { $0 != "[" && $0 != "]" }
            for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
                var bytes = [UInt8](repeating: 0, count: count)
                if inet_pton(family, plain, &bytes) == 1 { return bytes }
            }
            return nil
        }
    }
#endif
