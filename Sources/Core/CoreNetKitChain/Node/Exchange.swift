public import CoreNetKitHTTP

/// A node of the part of the chain that handles bytes on both sides.
public typealias Exchange = any Node<TransportRequest, TransportResponse>
