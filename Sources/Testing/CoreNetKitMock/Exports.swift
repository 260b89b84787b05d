// A script of a WebSocket speaks to its peer.
@_exported public import CoreNetKitPeer
// Scripts name errors and timings of the wire.
@_exported public import CoreNetKitHTTP
