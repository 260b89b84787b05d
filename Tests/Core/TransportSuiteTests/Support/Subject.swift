import CoreNetKitCurl
import CoreNetKitURLSession
import TestSupport

/// A transport that the suite is run for.
enum Subject: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case curl = "CurlTransport"
    /// Without TLS, from the first byte.
    case http2 = "CurlTransport over HTTP/2"
    /// Through a gateway, since the servers of the suite speak HTTP/1.1; in `.ci/peers/run http3` alone, and there instead of the others.
    case http3 = "CurlTransport over HTTP/3"
    case urlSession = "URLSessionTransport"
    case mock = "MockTransport"

    static let wires = all.filter { $0 != .mock }

    /// Those whose wire is the server's: what it does with connections reaches them as it is.
    static let direct = wires.filter { $0 != .http3 }

    /// Those of them whom the bytes of HTTP/1.1 reach.
    static let http1 = direct.filter { $0 != .http2 }

    static let all = http3.isAvailable ? [http3] : allCases.filter(\.isAvailable)

    var testDescription: String { rawValue }

    var isAvailable: Bool {
        #if os(Linux)
            switch self {
            case .http2: return CurlTransport().capabilities.contains(.http2PriorKnowledge)
            case .http3: return HTTP3Oracle.isReachable
            // Foundation under a libcurl that it was not built with ends the process now and then ("Transfer completed,
            // but there's no response").
            case .urlSession: return ProcessInfo.processInfo.environment["NEWER_LIBCURL"] == nil
            default: return true
            }
        #else
            return self == .urlSession || self == .mock
        #endif
    }

    /// A field's name as it comes: HTTP/2 and HTTP/3 have small letters only (RFC 9113, 8.2; RFC 9114, 4.2).
    func spelled(_ name: String) -> String { self == .http2 || self == .http3 ? name.lowercased() : name }

    var isCurl: Bool { self == .curl || self == .http2 }

    /// One transport for the whole suite, so that its cases also run beside one another; but for HTTP/3.
    var transport: any Transport {
        switch self {
        #if os(Linux)
            case .curl: Self.sharedCurl
            case .http2: Self.sharedHTTP2
            // One for each peer: a connection that all cases share is ended under them by libcurl 8.23, which reports
            // ERR_CALLBACK_FAILURE of nghttp3. Which exchange does that is not known.
            case .http3: GatewayTransport(configuration) ?? MockTransport()
        #else
            case .curl, .http2, .http3: MockTransport()
        #endif
        case .urlSession: URLSessionTransport()
        case .mock: MockTransport()
        }
    }

    /// A transport with connections of its own, where it has such.
    var freshTransport: any Transport {
        #if os(Linux)
            if isCurl { return CurlTransport(configuration: configuration) }
        #endif
        return transport
    }

    #if os(Linux)
        private static let sharedCurl = CurlTransport()
        private static let sharedHTTP2 = CurlTransport(configuration: Subject.http2.configuration)

        var configuration: CurlTransport.Configuration {
            var configuration = CurlTransport.Configuration()
            if self == .http2 { configuration.httpVersion = .http2PriorKnowledge }
            return configuration
        }
    #endif

    /// Whether this transport behaves as the table of differences says, and not as usual.
    func differs(_ difference: Difference) -> Bool { difference.subjects.contains(self) && difference.isOnThisPlatform }
}
