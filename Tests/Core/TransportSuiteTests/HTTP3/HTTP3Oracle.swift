#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// The servers of `.ci/peers/run http3`, which others have written.
    struct HTTP3Oracle {
        /// QUIC without TCP, so that nothing else can win the race.
        let quic: Int
        /// TLS and HTTP/1.1 without UDP.
        let tcp: Int
        /// The same, with UDP that gets no response; it offers HTTP/3 all the same.
        let swallowed: Int
        /// HTTP/1.1 that offers HTTP/3, which is there on the same port.
        let offered: Int
        /// From HTTP/3 to the servers of the suite.
        let gateway: Int
        let authorities: String

        static let here = HTTP3Oracle(ProcessInfo.processInfo.environment["HTTP3_ORACLE"] ?? "")

        /// Whether they are there, and this libcurl can talk to them.
        static let isReachable = here != nil && CurlTransport().capabilities.contains(.http3)

        private init?(_ text: String) {
            let pairs = text.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            let values = Dictionary(pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { $1 }
            guard let quic = values["quic"].flatMap(Int.init), let tcp = values["tcp"].flatMap(Int.init),
                let swallowed = values["swallowed"].flatMap(Int.init),
                let offered = values["offered"].flatMap(Int.init), let gateway = values["gateway"].flatMap(Int.init),
                let authorities = values["ca"]
            else { return nil }
            (self.quic, self.tcp, self.authorities) = (quic, tcp, authorities)
            (self.swallowed, self.offered, self.gateway) = (swallowed, offered, gateway)
        }
    }
#endif
