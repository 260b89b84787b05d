#if os(Linux)
    package import CoreNetKitHTTP
    import CoreNetKitWire
    import CNetCurl

    /// The libcurl that was loaded: initialised once and asked once for its features.
    package enum CurlLibrary {
        /// Whether libcurl could be initialised; the first use takes a few milliseconds because of its TLS library.
        static let isReady: Bool = cnc_global_init() == 0

        static let version = Int(cnc_version())

        /// When a handle had looked up the name, was connected, and had finished TLS: from its start, in microseconds.
        static func times(of easy: UnsafeMutableRawPointer, isSecure: Bool) -> (Int64, Int64, Int64) {
            (
                cnc_easy_size(easy, CNCINFO_NAMELOOKUP_TIME_T), cnc_easy_size(easy, CNCINFO_CONNECT_TIME_T),
                isSecure ? cnc_easy_size(easy, CNCINFO_APPCONNECT_TIME_T) : 0
            )
        }

        static func tlsDetails(of easy: UnsafeMutableRawPointer) -> TLSDetails? {
            var version: UnsafePointer<CChar>?
            var cipher: UnsafePointer<CChar>?
            cnc_easy_tls(easy, &version, &cipher)
            guard let version, let cipher else { return nil }
            return (String(cString: version), String(cString: cipher))
        }

        /// Whether the certificate of an exchange's connection has the server's name where names belong: newer than the common
        /// name, which libcurl takes where there is no other (RFC 9525, 6.3).
        static func isNamed(_ key: String, on easy: UnsafeMutableRawPointer) -> Bool {
            let host = HostName.withoutZone(Destination.server(of: key).host)
            let isAddress = HostName.isAddress(host)
            return cnc_easy_tls_names(easy, isAddress ? host.filter { $0 != "[" && $0 != "]" } : host, isAddress)
        }

        /// What libcurl itself can decode, for other targets that let it; `CurlTransport` decodes on its own.
        package static let decodings: TransportCapabilities = {
            let features = Int(cnc_features())
            var all: TransportCapabilities = []
            if features & CNC_VERSION_LIBZ != 0 { all.insert(.gzip) }
            if features & CNC_VERSION_BROTLI != 0 { all.insert(.brotli) }
            if features & CNC_VERSION_ZSTD != 0 { all.insert(.zstd) }
            return all
        }()

        package static let capabilities: TransportCapabilities = {
            let features = Int(cnc_features())
            func has(_ bit: Int) -> Bool { features & bit != 0 }
            var all: TransportCapabilities = [
                .phaseTimeouts, .streamingUpload, .streamingDownload, .timings, .proxies, .exactHeaders,
                .bodyOnAnyMethod,
            ]
            all.formUnion([.identityCoding, .progress, .interimResponses, .trailers, .sentHeaders, .duplex])
            if !HTTP2Session.isAvailable || HTTP2Session.hasTrailers { all.insert(.requestTrailers) }
            if has(CNC_VERSION_SSL), cnc_tells_tls() { all.insert(.tlsDetails) }
            if has(CNC_VERSION_SSL) {
                all.formUnion([.customTrust, .clientCertificates, .publicKeyPinning, .preciseTLSErrors])
            }
            if HTTP2Session.isAvailable { all.formUnion([.http2PriorKnowledge, .http2Ping]) }
            if HTTP2Session.isAvailable, has(CNC_VERSION_SSL), cnc_can_offer() { all.insert(.http2) }
            // HTTP/3 was experimental before 8.8.
            if has(CNC_VERSION_HTTP3), version >= 0x080800 { all.insert(.http3) }
            if has(CNC_VERSION_UNIX_SOCKETS) { all.insert(.unixSockets) }
            for coding in ContentCoding.available {
                switch coding {
                case .deflate, .gzip: all.insert(.gzip)
                case .br: all.insert(.brotli)
                case .zstd: all.insert(.zstd)
                }
            }
            return all
        }()
    }
#endif
