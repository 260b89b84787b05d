// The script of a WebSocket uses `SocketPeer`.
@_exported public import CoreNetKitPeer
