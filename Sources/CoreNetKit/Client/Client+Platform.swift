import CoreNetKitCurl
import CoreNetKitHTTP
#if !os(Linux)
    import CoreNetKitURLSession
#endif

extension Client {
    /// libcurl on Linux, URLSession on Apple platforms.
    static func platformTransport() -> any Transport {
        #if os(Linux)
            CurlTransport()
        #else
            URLSessionTransport()
        #endif
    }
}
