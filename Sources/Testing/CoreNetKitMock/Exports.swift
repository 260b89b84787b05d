// The script of a WebSocket uses `SocketPeer`.
@_exported public import CoreNetKitPeer
// Scripts use errors and timings of the wire.
@_exported public import CoreNetKitHTTP
