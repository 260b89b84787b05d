import CoreNetKitMock
import CoreNetKitCurl
import CoreNetKitHTTP
import CoreNetKitURLSession
import Testing

/// A transport that the suite is run for.
enum Subject: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case curl = "CurlTransport"
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
            return self != .curl
        #endif
    }

    /// One transport for the whole suite, so that its cases also run beside one another.
    var transport: any Transport {
        switch self {
        #if os(Linux)
            case .curl: Self.sharedCurl
        #else
            case .curl: MockTransport()
        #endif
        case .urlSession: URLSessionTransport()
        case .mock: MockTransport()
        }
    }

    /// A transport with connections of its own, where it has such.
    var freshTransport: any Transport {
        #if os(Linux)
            if self == .curl { return CurlTransport() }
        #endif
        return transport
    }

    #if os(Linux)
        private static let sharedCurl = CurlTransport()
    #endif

    /// Whether this transport behaves as the table of differences says, and not as usual.
    func differs(_ difference: Difference) -> Bool { difference.subjects.contains(self) && difference.isOnThisPlatform }
}
