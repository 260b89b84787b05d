// A user writes `import CoreNetKit` alone: Method, Headers, Timeouts and the transports come with it.
@_exported public import CoreNetKitTransport
