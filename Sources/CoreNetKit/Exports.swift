// A user writes `import CoreNetKit` alone: HTTP values, Json and the platform's transport come with it.
@_exported public import CoreNetKitChain
@_exported public import CoreNetKitHTTP
@_exported public import CoreNetKitJson
@_exported public import CoreNetKitRecovery
#if os(Linux)
    @_exported public import CoreNetKitCurl
#else
    @_exported public import CoreNetKitURLSession
#endif
