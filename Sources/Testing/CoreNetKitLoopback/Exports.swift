// A script of a WebSocket speaks to its peer.
@_exported public import CoreNetKitPeer
