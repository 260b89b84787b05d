import CoreNetKitHTTP
#if os(Linux)
    import CoreNetKitCurl
#else
    import CoreNetKitURLSession
#endif

extension Client {
    /// libcurl on Linux, URLSession on Apple platforms; one for all clients that name none.
    static let platformTransport: any Transport = {
        #if os(Linux)
            CurlTransport()
        #else
            URLSessionTransport()
        #endif
    }()
}
