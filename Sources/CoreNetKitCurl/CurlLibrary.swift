#if os(Linux)
    package import CoreNetKitHTTP
    import CNetCurl

    /// The libcurl that was loaded: initialised once, asked once what it can do.
    package enum CurlLibrary {
        /// Whether libcurl could be initialised; the first use takes a few milliseconds for its TLS library.
        static let isReady: Bool = cnc_global_init() == 0

        package static let capabilities: TransportCapabilities = {
            let features = Int(cnc_features())
            func has(_ bit: Int) -> Bool { features & bit != 0 }
            var all: TransportCapabilities = [
                .phaseTimeouts, .streamingUpload, .streamingDownload, .timings, .proxies, .exactHeaders,
                .bodyOnAnyMethod,
            ]
            if has(CNC_VERSION_SSL) {
                all.formUnion([.customTrust, .clientCertificates, .publicKeyPinning, .preciseTLSErrors])
            }
            if has(CNC_VERSION_HTTP2) { all.formUnion([.http2, .http2PriorKnowledge]) }
            if has(CNC_VERSION_UNIX_SOCKETS) { all.insert(.unixSockets) }
            if has(CNC_VERSION_LIBZ) { all.insert(.gzip) }
            if has(CNC_VERSION_BROTLI) { all.insert(.brotli) }
            if has(CNC_VERSION_ZSTD) { all.insert(.zstd) }
            return all
        }()
    }
#endif
