#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl

    /// A configuration as libcurl's options; a class, because handles read it for each exchange.
    final class CurlOptions: Sendable {
        private let configuration: CurlTransport.Configuration
        /// Authorities as a file in memory: libcurl reads them once if they have a name, and bytes again for each connection.
        private let authorities: (descriptor: Int32, path: String)?
        private let (addresses, connectTo): (TextList, TextList)
        /// Why the configuration is invalid, or not supported by the loaded libcurl; every exchange is refused with it.
        private let problem: TransportError?

        let routes: RouteTable
        let expansion: ExpansionGuard
        let usualLines: UsualLines
        let http3: HTTP3Origins?
        let mayUseProxy: Bool
        /// Whether any request is refused; `problem` is large, and dear to look at for each.
        private let mayRefuse: Bool

        var verifiesServer: Bool { configuration.tls.verifiesServer }
        var isBound: Bool { configuration.interface != nil }

        /// What TLS connections that may be shared offer (RFC 7301, 3.1).
        var sharedOffer: StaticString { speaksHTTP2AtOnce ? "\u{2}h2" : "\u{2}h2\u{8}http/1.1" }

        /// The silence after which an unused HTTP/2 connection is asked for a sign of life, in nanoseconds.
        let pingInterval: Int64

        var errorTimeout: Duration { configuration.errorTimeout }
        var speaksHTTP2AtOnce: Bool { configuration.httpVersion == .http2PriorKnowledge }

        init(_ configuration: CurlTransport.Configuration) {
            self.configuration = configuration
            routes = RouteTable(configuration)
            pingInterval = configuration.http2PingInterval.map { MonotonicTime.nanoseconds($0) } ?? MonotonicTime.never
            mayUseProxy = configuration.mayUseProxy
            authorities = configuration.tls.authorities.pem.flatMap { $0.isEmpty ? nil : Self.memoryFile($0) }
            let overrides = configuration.overrides
            (addresses, connectTo) = (TextList(overrides.addresses), TextList(overrides.connectTo))
            let decompression = configuration.decompression
            expansion = ExpansionGuard(ratio: decompression.ratio, total: decompression.limit)
            let userAgent = configuration.userAgent.flatMap { FieldCheck.isValue($0) ? $0 : nil }
            http3 = HTTP3Origins(configuration, isPossible: CurlLibrary.capabilities.contains(.http3))
            usualLines = UsualLines(userAgent: userAgent, codings: ContentCoding.available.map(\.name))
            var setter = Setter(easy: cnc_easy_init(), authorities: authorities?.path)
            defer { cnc_easy_cleanup(setter.easy) }
            setter.apply(configuration)
            for host in configuration.hosts.values { setter.apply(host) }
            let names = configuration.hosts.keys.sorted()
            let mistake = names.lazy.compactMap(HostName.problem).first ?? overrides.problem
            problem = configuration.lacking.map(Self.unsupported) ?? setter.problem ?? mistake.map(FieldCheck.invalid)
            mayRefuse = problem != nil || configuration.tls.requiresPins && configuration.tls.pinnedKeys.isEmpty
        }

        deinit { if let authorities { close(authorities.descriptor) } }

        private static func memoryFile(_ bytes: Data) -> (descriptor: Int32, path: String)? {
            let descriptor = bytes.withUnsafeBytes { cnc_memory_file($0.baseAddress, $0.count) }
            return descriptor < 0 ? nil : (descriptor, "/proc/self/fd/\(descriptor)")
        }

        func apply(to easy: UnsafeMutableRawPointer, for key: String) {
            if !configuration.hosts.isEmpty, let host = settings(of: key) {
                var setter = Setter(easy: easy, authorities: authorities?.path)
                setter.apply(host)
            }
            // libcurl compares texts, and knows no ports there.
            if mayUseProxy, exceptions(of: key, RouteTable.variable)?.cover(Destination.server(of: key)) == true {
                _ = "*".withCString { cnc_easy_set_pointer(easy, CNCOPT_NOPROXY, $0) }
            }
        }

        private func settings(of key: String) -> TransportTLS.Host? {
            configuration.hosts[HostName.withoutZone(Destination.server(of: key).host)]
        }

        private func proxy(for key: String) -> TransportProxy { settings(of: key)?.proxy ?? configuration.proxy }

        private func exceptions(of key: String, _ variable: (String) -> String?) -> ProxyExceptions? {
            switch proxy(for: key) {
            case .none: nil
            case .server(_, _, let except): ProxyExceptions(except.joined(separator: ","))
            case .system: .ofEnvironment(variable)
            }
        }

        /// The digest of the certificate that is shown to a server; empty for none, `nil` if its file cannot be read.
        func clientIdentity(for url: URL) -> String? {
            guard configuration.tls.identity != nil || !configuration.hosts.isEmpty else { return "" }
            let origin = Origin(url)
            guard origin.isSecure else { return "" }
            switch settings(of: origin.description)?.identity ?? configuration.tls.identity {
            case nil: return ""
            case .pem(let certificate, _, _): return Hex.encode(SHA256.digest(certificate))
            case .pkcs12, .keychain: return nil
            case .files(let path, _, _):
                // Read each time, as by each connection: a renewed certificate may be another caller's.
                guard let bytes = try? PosixFiles().content(of: path, limit: 1 << 20) else { return nil }
                return Hex.encode(SHA256.digest(bytes))
            }
        }

        /// Why no request to a URL may be sent.
        func problem(at url: @autoclosure () -> URL) -> TransportError? {
            guard mayRefuse else { return nil }
            if let problem { return problem }
            let origin = Origin(url())
            guard origin.isSecure else { return nil }
            guard settings(of: origin.description)?.pinnedKeys.isEmpty != false else { return nil }
            return TransportError(.pinMismatch, phase: .tls, message: HostName.lacksPin(origin.host))
        }

        /// Whether connections to a server go through a proxy, as libcurl decides; asked once one of them has failed.
        func usesProxy(
            to destination: borrowing Destination,
            environment variable: (String) -> String? = RouteTable.variable
        ) -> Bool {
            let key = destination.key
            guard destination.socket == nil, let exceptions = exceptions(of: key, variable) else { return false }
            if case .system = proxy(for: key), RouteTable.proxies(isSecure: destination.isSecure, variable).isEmpty {
                return false
            }
            return !exceptions.cover(Destination.server(of: key))
        }

        func usesSecureProxy(to destination: borrowing Destination) -> Bool {
            guard mayUseProxy, usesProxy(to: destination) else { return false }
            switch proxy(for: destination.key) {
            case .none: return false
            case .server(let url, _, _): return url.scheme?.lowercased() == "https"
            case .system:
                return RouteTable.proxies(isSecure: true, RouteTable.variable).contains {
                    $0.lowercased().hasPrefix("https:")
                }
            }
        }

        func apply(to easy: UnsafeMutableRawPointer) {
            var setter = Setter(easy: easy, authorities: authorities?.path)
            setter.apply(configuration)
            if addresses.first != nil { cnc_easy_set_pointer(easy, CNCOPT_RESOLVE, addresses.first) }
            if connectTo.first != nil { cnc_easy_set_pointer(easy, CNCOPT_CONNECT_TO, connectTo.first) }
        }

        private struct Setter {
            let easy: UnsafeMutableRawPointer?
            let authorities: String?
            var problem: TransportError?

            mutating func apply(_ configuration: CurlTransport.Configuration) {
                applyAlways()
                set(CNCOPT_MAXAGE_CONN, CurlOptions.seconds(configuration.idleConnectionLifetime), "idle time")
                // For requests to a proxy; requests to servers have a line of their own.
                if configuration.proxy != .none, let userAgent = configuration.userAgent {
                    set(CNCOPT_USERAGENT, userAgent, "user agent")
                }
                if let path = configuration.unixSocket { set(CNCOPT_UNIX_SOCKET_PATH, path, "Unix domain sockets") }
                applyConnections(configuration)
                apply(configuration.proxy)
                apply(configuration.tls)
            }

            mutating func apply(_ host: TransportTLS.Host) {
                if let proxy = host.proxy { apply(proxy) }
                apply(host.identity)
                pin(host.pinnedKeys)
            }

            private mutating func applyConnections(_ configuration: CurlTransport.Configuration) {
                if let lifetime = configuration.connectionLifetime {
                    set(CNCOPT_MAXLIFETIME_CONN, CurlOptions.seconds(lifetime), "a lifetime of connections")
                }
                if let keepAlive = configuration.keepAlive {
                    set(CNCOPT_TCP_KEEPALIVE, 1, "probes of TCP")
                    set(CNCOPT_TCP_KEEPIDLE, CurlOptions.seconds(keepAlive.idle), "probes of TCP")
                    set(CNCOPT_TCP_KEEPINTVL, CurlOptions.seconds(keepAlive.interval), "probes of TCP")
                }
                switch configuration.addressFamily {
                case .any: break
                case .ipv4: set(CNCOPT_IPRESOLVE, CNC_IPRESOLVE_V4, "IPv4 only")
                case .ipv6: set(CNCOPT_IPRESOLVE, CNC_IPRESOLVE_V6, "IPv6 only")
                }
                if let interface = configuration.interface { set(CNCOPT_INTERFACE, interface, "an interface") }
            }

            private mutating func applyAlways() {
                set(CNCOPT_NOSIGNAL, 1, "threads")
                set(CNCOPT_FOLLOWLOCATION, 0, "redirects")
                set(CNCOPT_PROTOCOLS_STR, "http,https", "protocols")
                set(CNCOPT_PATH_AS_IS, 1, "exact paths")
                set(CNCOPT_SUPPRESS_CONNECT_HEADERS, 1, "proxies")
                // Otherwise cancelling waits for a name look-up. Older libraries wait; that is no reason to refuse.
                _ = cnc_easy_set_number(easy, CNCOPT_QUICK_EXIT, 1)
            }

            private mutating func apply(_ proxy: CurlTransport.Configuration.Proxy) {
                switch proxy {
                case .none:
                    set(CNCOPT_PROXY, "", "proxies")
                    // Otherwise libcurl looks for `no_proxy` in the environment before each exchange.
                    set(CNCOPT_NOPROXY, "*", "proxies")
                case .system:
                    // A host's own setting replaces whatever holds for all hosts.
                    clear(CNCOPT_PROXY, CNCOPT_NOPROXY, CNCOPT_PROXYUSERNAME, CNCOPT_PROXYPASSWORD)
                    problem = problem ?? RouteTable.credentialsProblem().map(FieldCheck.invalid)
                case .server(let url, let credentials, let except):
                    guard ["http", "https", "socks5", "socks5h"].contains(url.scheme?.lowercased()) else {
                        problem = CurlOptions.unsupported("a proxy that is neither http, https nor socks5")
                        return
                    }
                    problem = problem ?? proxy.credentialsProblem.map(FieldCheck.invalid)
                    set(CNCOPT_PROXY, CurlOptions.proxyText(url), "this kind of proxy")
                    set(CNCOPT_HEADEROPT, CNCHEADER_SEPARATE, "proxy headers")
                    set(CNCOPT_NOPROXY, except.joined(separator: ","), "proxy exceptions")
                    // Those of another proxy are none of this one's business.
                    guard let credentials else { return clear(CNCOPT_PROXYUSERNAME, CNCOPT_PROXYPASSWORD) }
                    set(CNCOPT_PROXYUSERNAME, credentials.user, "proxy credentials")
                    set(CNCOPT_PROXYPASSWORD, credentials.password, "proxy credentials")
                }
            }

            private mutating func apply(_ tls: TransportTLS) {
                guard CurlLibrary.capabilities.contains(.customTrust) else { return }
                let isStrict = tls.minimumVersion == .tls13
                set(CNCOPT_SSLVERSION, isStrict ? CNC_SSLVERSION_TLSv1_3 : CNC_SSLVERSION_TLSv1_2, "TLS versions")
                if !tls.verifiesServer {
                    set(CNCOPT_SSL_VERIFYPEER, 0, "TLS without checks")
                    set(CNCOPT_SSL_VERIFYHOST, 0, "TLS without checks")
                }
                switch tls.authorities {
                case .system: if hasSystemBundle { forgetFolder() }
                case .file(let path):
                    set(CNCOPT_CAINFO, path, "certificate authorities")
                    forgetFolder()
                case .pem, .certificates:
                    if let authorities {
                        set(CNCOPT_CAINFO, authorities, "certificate authorities")
                    } else if let bytes = tls.authorities.pem, !bytes.isEmpty {
                        set(CNCOPT_CAINFO_BLOB, bytes, "certificate authorities as bytes")
                    } else {
                        problem = FieldCheck.invalid("tls.authorities is empty: no server could be trusted")
                    }
                    forgetFolder()
                }
                if let path = tls.revocationList { set(CNCOPT_CRLFILE, path, "lists of revoked certificates") }
                apply(tls.identity)
                pin(tls.pinnedKeys)
            }

            private mutating func pin(_ keys: [String]) {
                guard !keys.isEmpty else { return }
                guard keys.allSatisfy({ Data(base64Encoded: $0)?.count == 32 }) else {
                    problem = FieldCheck.invalid("a pinned key is not the Base64 of a SHA-256")
                    return
                }
                set(CNCOPT_PINNEDPUBLICKEY, keys.map { "sha256//\($0)" }.joined(separator: ";"), "pinned keys")
            }

            private var hasSystemBundle: Bool {
                guard let easy, let path = cnc_easy_pointer(easy, CNCINFO_CAINFO) else { return false }
                return access(path.assumingMemoryBound(to: CChar.self), R_OK) == 0
            }

            /// With the system's folder beside a file, libcurl would read the file for each connection, for 40 ms.
            private func forgetFolder() { _ = cnc_easy_set_pointer(easy, CNCOPT_CAPATH, nil) }

            private mutating func apply(_ identity: TransportTLS.Identity?) {
                let secret: String?
                switch identity {
                case nil, .pkcs12, .keychain: return
                case .files(let certificate, let key, let password):
                    // libcurl prefers bytes, and these may be the identity for all hosts.
                    clear(CNCOPT_SSLCERT_BLOB, CNCOPT_SSLKEY_BLOB)
                    set(CNCOPT_SSLCERT, certificate, "client certificates")
                    set(CNCOPT_SSLKEY, key, "client certificates")
                    secret = password
                case .pem(let certificate, let key, let password):
                    set(CNCOPT_SSLCERT_BLOB, certificate, "client certificates as bytes")
                    set(CNCOPT_SSLKEY_BLOB, key, "client certificates as bytes")
                    secret = password
                }
                if let secret { set(CNCOPT_KEYPASSWD, secret, "key passwords") } else { clear(CNCOPT_KEYPASSWD) }
            }

            private func clear(_ options: Int...) {
                for option in options { _ = cnc_easy_set_pointer(easy, option, nil) }
            }

            private mutating func set(_ option: Int, _ value: Int, _ feature: StaticString) {
                note(cnc_easy_set_number(easy, option, value), feature)
            }

            private mutating func set(_ option: Int, _ value: String, _ feature: StaticString) {
                note(value.withCString { cnc_easy_set_pointer(easy, option, $0) }, feature)
            }

            private mutating func set(_ option: Int, _ value: Data, _ feature: StaticString) {
                let result = value.withUnsafeBytes { bytes in
                    cnc_easy_set_blob(easy, option, bytes.baseAddress, bytes.count)
                }
                note(result, feature)
            }

            private mutating func note(_ result: Int, _ feature: StaticString) {
                guard result != CNCE_OK, problem == nil else { return }
                let reason = String(cString: cnc_strerror(result))
                problem = CurlOptions.unsupported("what the installed libcurl rejects: \(feature), \(reason)")
            }
        }

        private static func seconds(_ duration: Duration) -> Int {
            Int(max(.seconds(1), min(duration, .seconds(1 << 30))).components.seconds)
        }

        private static func unsupported(_ what: String) -> TransportError {
            CurlFailure.unsent(.unsupported, "the transport's configuration asks for \(what)")
        }

        /// Lets SOCKS proxies resolve names, so that no look-up bypasses the proxy.
        private static func proxyText(_ url: URL) -> String {
            let text = url.absoluteString
            return text.hasPrefix("socks5://") ? "socks5h://" + text.dropFirst("socks5://".count) : text
        }
    }
#endif
