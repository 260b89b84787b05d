// Scripts name errors and timings of the wire.
@_exported public import CoreNetKitHTTP
