import CoreNetKitHTTP
#if os(Linux)
    import CoreNetKitCurl
#else
    import CoreNetKitURLSession
#endif

extension Client {
    /// libcurl on Linux, URLSession on Apple platforms; shared by all clients that are created without a transport.
    static let platformTransport: any Transport = {
        #if os(Linux)
            CurlTransport()
        #else
            URLSessionTransport()
        #endif
    }()
}
