#if os(Linux)
    import CoreNetKitCurl
    import Testing

    /// Which versions a transport speaks: HTTP/1.1 alone, or what TLS agrees on.
    struct LaneKind: Sendable, CustomTestStringConvertible {
        let version: CurlTransport.Configuration.HTTPVersion

        static let all = [LaneKind(version: .http1), LaneKind(version: .automatic)]

        var testDescription: String { "\(version)" }

        func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport {
            .made {
                $0.httpVersion = version
                change(&$0)
            }
        }
    }
#endif
