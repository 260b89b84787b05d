#if os(Linux)
    import CoreNetKitHTTP
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import CNetCurl
    import Glibc

    /// A configuration as libcurl's options: the same for every easy handle of a transport.
    struct CurlOptions: Sendable {
        private let configuration: CurlTransport.Configuration
        /// What the loaded libcurl or the configuration itself does not allow; every exchange is refused with it.
        let problem: TransportError?

        let expansion: ExpansionGuard.Limits

        var usesProxy: Bool {
            if case .server(_, _, let except) = configuration.proxy { except.isEmpty } else { false }
        }

        var negotiatesHTTP2: Bool {
            [.automatic, .http3].contains(configuration.httpVersion) && CurlLibrary.capabilities.contains(.http2)
        }

        var speaksHTTP2AtOnce: Bool { configuration.httpVersion == .http2PriorKnowledge }

        init(_ configuration: CurlTransport.Configuration) {
            self.configuration = configuration
            expansion = ExpansionGuard.Limits(configuration.decompression)
            var setter = Setter(easy: cnc_easy_init())
            defer { cnc_easy_cleanup(setter.easy) }
            setter.apply(configuration)
            problem = setter.problem
        }

        func apply(to easy: UnsafeMutableRawPointer) {
            var setter = Setter(easy: easy)
            setter.apply(configuration)
        }

        /// Sets options one by one and remembers the first that was refused.
        private struct Setter {
            let easy: UnsafeMutableRawPointer?
            var problem: TransportError?

            mutating func apply(_ configuration: CurlTransport.Configuration) {
                applyAlways()
                set(
                    CNCOPT_MAXAGE_CONN,
                    max(1, Int(min(configuration.idleConnectionLifetime.components.seconds, 1 << 30))),
                    "idle time"
                )
                if let userAgent = configuration.userAgent { set(CNCOPT_USERAGENT, userAgent, "user agent") }
                if let path = configuration.unixSocket { set(CNCOPT_UNIX_SOCKET_PATH, path, "Unix domain sockets") }
                apply(configuration.httpVersion)
                apply(configuration.proxy)
                apply(configuration.tls)
            }

            private mutating func applyAlways() {
                set(CNCOPT_NOSIGNAL, 1, "threads")
                set(CNCOPT_FOLLOWLOCATION, 0, "redirects")
                set(CNCOPT_PROTOCOLS_STR, "http,https", "protocols")
                set(CNCOPT_PATH_AS_IS, 1, "exact paths")
                set(CNCOPT_SUPPRESS_CONNECT_HEADERS, 1, "proxies")
                // All that this libcurl can decompress.
                set(CNCOPT_ACCEPT_ENCODING, "", "decompression")
                // Else cancelling waits for a name look-up to end. Older libraries wait; that is no reason to refuse.
                _ = cnc_easy_set_number(easy, CNCOPT_QUICK_EXIT, 1)
            }

            private mutating func apply(_ version: CurlTransport.Configuration.HTTPVersion) {
                switch version {
                case .http1: set(CNCOPT_HTTP_VERSION, CNC_HTTP_VERSION_1_1, "HTTP/1.1")
                case .http2PriorKnowledge:
                    set(CNCOPT_HTTP_VERSION, CNC_HTTP_VERSION_2_PRIOR_KNOWLEDGE, "HTTP/2")
                    set(CNCOPT_PIPEWAIT, 1, "HTTP/2")
                    // Without TLS an older libcurl fails on the second request of a connection.
                    guard !CurlLibrary.keepsPlainHTTP2 else { return }
                    set(CNCOPT_FRESH_CONNECT, 1, "HTTP/2")
                    set(CNCOPT_FORBID_REUSE, 1, "HTTP/2")
                case .http3:
                    guard CurlLibrary.capabilities.contains(.http3) else {
                        problem = problem ?? CurlOptions.unsupported("HTTP/3, which the installed libcurl does not have")
                        return
                    }
                    set(CNCOPT_HTTP_VERSION, CNC_HTTP_VERSION_3, "HTTP/3")
                case .automatic:
                    guard CurlLibrary.capabilities.contains(.http2) else { return }
                    set(CNCOPT_HTTP_VERSION, CNC_HTTP_VERSION_2TLS, "HTTP/2")
                }
            }

            private mutating func apply(_ proxy: CurlTransport.Configuration.Proxy) {
                switch proxy {
                case .none:
                    set(CNCOPT_PROXY, "", "proxies")
                    // Else libcurl looks for `no_proxy` in the environment before each exchange.
                    set(CNCOPT_NOPROXY, "*", "proxies")
                case .environment: break
                case .server(let url, let credentials, let except):
                    guard ["http", "https", "socks5", "socks5h"].contains(url.scheme?.lowercased()) else {
                        problem = CurlOptions.unsupported("a proxy that is neither http, https nor socks5")
                        return
                    }
                    set(CNCOPT_PROXY, CurlOptions.proxyText(url), "this kind of proxy")
                    set(CNCOPT_HEADEROPT, CNCHEADER_SEPARATE, "proxy headers")
                    set(CNCOPT_NOPROXY, except.joined(separator: ","), "proxy exceptions")
                    guard let credentials else { return }
                    set(CNCOPT_PROXYUSERNAME, credentials.user, "proxy credentials")
                    set(CNCOPT_PROXYPASSWORD, credentials.password, "proxy credentials")
                }
            }

            private mutating func apply(_ tls: CurlTransport.Configuration.TLS) {
                guard CurlLibrary.capabilities.contains(.customTrust) else { return }
                let isStrict = tls.minimumVersion == .tls13
                set(CNCOPT_SSLVERSION, isStrict ? CNC_SSLVERSION_TLSv1_3 : CNC_SSLVERSION_TLSv1_2, "TLS versions")
                if !tls.verifiesServer {
                    set(CNCOPT_SSL_VERIFYPEER, 0, "TLS without checks")
                    set(CNCOPT_SSL_VERIFYHOST, 0, "TLS without checks")
                }
                switch tls.authorities {
                case .system:
                    if hasSystemBundle { forgetFolder() }
                case .file(let path):
                    set(CNCOPT_CAINFO, path, "certificate authorities")
                    forgetFolder()
                case .pem(let bytes):
                    set(CNCOPT_CAINFO_BLOB, bytes, "certificate authorities as bytes")
                    forgetFolder()
                }
                apply(tls.identity)
                if !tls.pinnedKeys.isEmpty {
                    guard tls.pinnedKeys.allSatisfy({ Data(base64Encoded: $0)?.count == 32 }) else {
                        problem = FieldCheck.invalid("a pinned key is not the Base64 of a SHA-256")
                        return
                    }
                    let pins = tls.pinnedKeys.map { "sha256//\($0)" }.joined(separator: ";")
                    set(CNCOPT_PINNEDPUBLICKEY, pins, "pinned keys")
                }
            }

            /// Whether the authorities that libcurl was built to trust stand in one file.
            private var hasSystemBundle: Bool {
                guard let easy, let path = cnc_easy_pointer(easy, CNCINFO_CAINFO) else { return false }
                return access(path.assumingMemoryBound(to: CChar.self), R_OK) == 0
            }

            /// Trusts nobody for being in the system's folder of authorities.
            ///
            /// It counts beside a file, even one's own; and with it libcurl reads the file again for each connection, which
            /// keeps the owner thread for 40 ms.
            private func forgetFolder() { _ = cnc_easy_set_pointer(easy, CNCOPT_CAPATH, nil) }

            private mutating func apply(_ identity: CurlTransport.Configuration.TLS.Identity?) {
                let secret: String?
                switch identity {
                case nil: return
                case .files(let certificate, let key, let password):
                    set(CNCOPT_SSLCERT, certificate, "client certificates")
                    set(CNCOPT_SSLKEY, key, "client certificates")
                    secret = password
                case .pem(let certificate, let key, let password):
                    set(CNCOPT_SSLCERT_BLOB, certificate, "client certificates as bytes")
                    set(CNCOPT_SSLKEY_BLOB, key, "client certificates as bytes")
                    secret = password
                }
                if let secret { set(CNCOPT_KEYPASSWD, secret, "key passwords") }
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
                problem = CurlOptions.unsupported("what the installed libcurl refuses: \(feature), \(reason)")
            }
        }

        private static func unsupported(_ what: String) -> TransportError {
            TransportError(.unsupported, phase: .queue, message: "the transport's configuration asks for \(what)")
        }

        /// SOCKS proxies resolve names themselves, or a look-up would leave by another way.
        private static func proxyText(_ url: URL) -> String {
            let text = url.absoluteString
            return text.hasPrefix("socks5://") ? "socks5h://" + text.dropFirst("socks5://".count) : text
        }
    }
#endif
