import CoreNetKitHTTP
#if os(Linux)
    import CoreNetKitCurl
#else
    import CoreNetKitURLSession
#endif

extension Client {
    /// libcurl on Linux, URLSession on Apple platforms; shared by all clients without a transport of their own.
    static let platformTransport: any Transport = {
        #if os(Linux)
            CurlTransport()
        #else
            URLSessionTransport()
        #endif
    }()
}
