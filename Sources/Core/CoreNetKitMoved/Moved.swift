// Names that `import CoreNetKit` does not bring, so that the compiler says which import they need; where it is there, it takes the
// real one. In a target of their own: in one that uses the names, these would hide them.
//
// Their documentation is that of the real ones:
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CoreNetKitChain
public import CoreNetKitHTTP

// MARK: - Nodes, policies, positions

@available(*, unavailable, message: "import CoreNetKitChain")
public typealias AnyNode = CoreNetKitChain.AnyNode
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias ChainConfiguration = CoreNetKitChain.ChainConfiguration
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias ChainParts = CoreNetKitChain.ChainParts
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias ChainPolicy = CoreNetKitChain.ChainPolicy
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias ChainPosition = CoreNetKitChain.ChainPosition
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias ChainStep = CoreNetKitChain.ChainStep
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias Exchange = CoreNetKitChain.Exchange
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias Layer = CoreNetKitChain.Layer
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias LogConfiguration = CoreNetKitChain.LogConfiguration
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias Node = CoreNetKitChain.Node
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias NodeID = CoreNetKitChain.NodeID
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias ObserverNode = CoreNetKitChain.ObserverNode
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias PartitionProvider = CoreNetKitChain.PartitionProvider
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias PolicyScope = CoreNetKitChain.PolicyScope
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias SessionDataOwner = CoreNetKitChain.SessionDataOwner
@available(*, unavailable, message: "import CoreNetKitChain")
public typealias TransportNode = CoreNetKitChain.TransportNode

// MARK: - The wire

@available(*, unavailable, message: "import CoreNetKitHTTP")
public typealias Attributes = CoreNetKitHTTP.Attributes
@available(*, unavailable, message: "import CoreNetKitHTTP")
public typealias ResponseBody = CoreNetKitHTTP.ResponseBody
@available(*, unavailable, message: "import CoreNetKitHTTP")
public typealias ResponseDelivery = CoreNetKitHTTP.ResponseDelivery
@available(*, unavailable, message: "import CoreNetKitHTTP")
public typealias Transport = CoreNetKitHTTP.Transport
@available(*, unavailable, message: "import CoreNetKitHTTP")
public typealias TransportRequest = CoreNetKitHTTP.TransportRequest
@available(*, unavailable, message: "import CoreNetKitHTTP")
public typealias TransportResponse = CoreNetKitHTTP.TransportResponse
