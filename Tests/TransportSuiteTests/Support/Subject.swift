import CoreNetKitMock
import CoreNetKitCurl
import CoreNetKitHTTP
import CoreNetKitURLSession
import Testing

/// A transport that the suite is run for.
enum Subject: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case curl = "CurlTransport"
    /// libcurl speaks HTTP/1.1, too.
    case libcurl = "CurlTransport with libcurl's HTTP/1.1"
    case urlSession = "URLSessionTransport"
    case mock = "MockTransport"

    /// Those that have a wire.
    static let wires = allCases.filter { $0 != .mock && $0.isAvailable }

    /// All on this platform.
    static let all = allCases.filter(\.isAvailable)

    var testDescription: String { rawValue }

    var isAvailable: Bool {
        #if os(Linux)
            return true
        #else
            return !isCurl
        #endif
    }

    /// Whether it is a `CurlTransport`, whoever speaks HTTP/1.1.
    var isCurl: Bool { self == .curl || self == .libcurl }

    /// One transport for the whole suite, so that its cases also run beside one another.
    var transport: any Transport {
        switch self {
        #if os(Linux)
            case .curl: Self.sharedCurl
            case .libcurl: Self.sharedLibcurl
        #else
            case .curl, .libcurl: MockTransport()
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
        private static let sharedLibcurl = CurlTransport(configuration: Subject.libcurl.configuration)

        /// What a `CurlTransport` is made with.
        var configuration: CurlTransport.Configuration {
            var configuration = CurlTransport.Configuration()
            if self == .libcurl { configuration.http1 = .libcurl }
            return configuration
        }
    #endif

    /// Whether this transport behaves as the table of differences says, and not as usual.
    func differs(_ difference: Difference) -> Bool { difference.subjects.contains(self) && difference.isOnThisPlatform }
}
