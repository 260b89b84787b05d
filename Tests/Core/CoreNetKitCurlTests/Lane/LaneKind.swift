#if os(Linux)
    import CoreNetKitCurl
    import Testing

    /// Who speaks HTTP/1.1, and whether TLS may choose a newer version: then the lane is known after the handshake only.
    struct LaneKind: Sendable, CustomTestStringConvertible {
        let http1: CurlTransport.Configuration.HTTP1
        let version: CurlTransport.Configuration.HTTPVersion

        static let own = LaneKind(http1: .own, version: .http1)
        static let libcurl = LaneKind(http1: .libcurl, version: .http1)
        /// Each lane, for a server that is known and for one that is not.
        static let all = [
            own, libcurl, LaneKind(http1: .own, version: .automatic), LaneKind(http1: .libcurl, version: .automatic),
        ]

        var testDescription: String { "\(http1), \(version)" }

        func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport {
            .lane(http1) {
                $0.httpVersion = version
                change(&$0)
            }
        }
    }
#endif
