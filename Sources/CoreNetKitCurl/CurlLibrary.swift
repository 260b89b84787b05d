#if os(Linux)
    package import CoreNetKitHTTP
    import CoreNetKitWire
    import CNetCurl

    /// The libcurl that was loaded: initialised once, asked once what it can do.
    package enum CurlLibrary {
        /// Whether libcurl could be initialised; the first use takes a few milliseconds for its TLS library.
        static let isReady: Bool = cnc_global_init() == 0

        private static let version = Int(cnc_version())

        /// Whether a refused stream is the one end of an HTTP/2 request of which libcurl says nothing; read in 7.88's
        /// source, and unknown of others.
        static let isSilentAboutRefusedStreams = version >> 8 == 0x0758

        /// Whether it says that a stream was refused, in a sentence for logs: since 8.0.
        static let tellsOfRefusedStreams = version >= 0x080000

        /// Whether a handle can be used again without danger.
        ///
        /// Before 8.1 it keeps a pointer to the last field of the response before, which it has freed: a response whose
        /// first field line is folded makes it write there, so that any server could end the process.
        static let forgetsHeads = version >= 0x080100

        /// Whether what it counts as the size of a request has the content in it.
        static let countsContentAsRequest = version >= 0x080800

        /// Whether it writes a URL anew: `%2e` as `%2E`, `/?` as `/`.
        static let rewritesTargets = version >= 0x080000

        /// Whether a connection with HTTP/2 and without TLS can be used more than once.
        static let keepsPlainHTTP2 = version >= 0x080300

        /// How an exchange's connection is encrypted.
        static func tlsDetails(of easy: UnsafeMutableRawPointer) -> TLSDetails? {
            var version: UnsafePointer<CChar>?
            var cipher: UnsafePointer<CChar>?
            cnc_easy_tls(easy, &version, &cipher)
            guard let version, let cipher else { return nil }
            return TLSDetails(version: String(cString: version), cipher: String(cString: cipher))
        }

        /// What libcurl itself decodes, for others that it does so for; `CurlTransport` decodes above it.
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
            if has(CNC_VERSION_SSL), cnc_tells_tls() { all.insert(.tlsDetails) }
            if has(CNC_VERSION_SSL) {
                all.formUnion([.customTrust, .clientCertificates, .publicKeyPinning, .preciseTLSErrors])
            }
            if has(CNC_VERSION_HTTP2) { all.formUnion([.http2, .http2PriorKnowledge]) }
            // Before 8.8 HTTP/3 was an experiment.
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
