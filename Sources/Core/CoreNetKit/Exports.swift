// The names of other targets that `import CoreNetKit` exports: exactly this list. These products export the rest:
//
// - events, records, custom logs: CoreNetKitObservability
// - types that only transports need, such as capabilities, monitors, timings, errors of the wire: CoreNetKitHTTP
// - a transport with a configuration: CoreNetKitCurl, CoreNetKitURLSession
//
// By name, because a module could only be exported as a whole. Members of other types work without an import.
//
// By topic, not by name:
// swift-format-ignore-file: OrderedImports

// HTTP.
@_exported public import struct CoreNetKitHTTP.HTTPMethod
@_exported public import struct CoreNetKitHTTP.Headers
@_exported public import struct CoreNetKitHTTP.RequestBody
@_exported public import enum CoreNetKitHTTP.ResponseBody
@_exported public import enum CoreNetKitHTTP.ResponseDelivery
@_exported public import struct CoreNetKitHTTP.ResponseStream
@_exported public import struct CoreNetKitHTTP.SecretRules
@_exported public import struct CoreNetKitHTTP.Timeouts
@_exported public import struct CoreNetKitHTTP.Attributes
@_exported public import protocol CoreNetKitHTTP.Transport
@_exported public import struct CoreNetKitHTTP.TransportRequest
@_exported public import struct CoreNetKitHTTP.TransportResponse

// JSON.
@_exported public import struct CoreNetKitJson.Json
@_exported public import struct CoreNetKitJson.JsonCoding
@_exported public import struct CoreNetKitJson.JsonError

// Chains and their calls.
@_exported public import struct CoreNetKitChain.Chain
@_exported public import struct CoreNetKitChain.CallClock
@_exported public import struct CoreNetKitChain.LogConfiguration
@_exported public import struct CoreNetKitChain.RequestContext

// Waiting for a call.
@_exported public import class CoreNetKitChain.CancelBag
@_exported public import protocol CoreNetKitChain.CancelableContext
@_exported public import class CoreNetKitChain.Context
@_exported public import class CoreNetKitChain.Observer

// Errors.
@_exported public import struct CoreNetKitChain.FailedResponse
@_exported public import struct CoreNetKitChain.NetworkError

// Custom nodes and policies.
@_exported public import struct CoreNetKitChain.AnyNode
@_exported public import struct CoreNetKitChain.ChainConfiguration
@_exported public import struct CoreNetKitChain.ChainParts
@_exported public import protocol CoreNetKitChain.ChainPolicy
@_exported public import struct CoreNetKitChain.ChainPosition
@_exported public import protocol CoreNetKitChain.ChainStep
@_exported public import typealias CoreNetKitChain.Exchange
@_exported public import protocol CoreNetKitChain.Layer
@_exported public import protocol CoreNetKitChain.Node
@_exported public import struct CoreNetKitChain.NodeID
@_exported public import struct CoreNetKitChain.ObserverNode
@_exported public import protocol CoreNetKitChain.PolicyHolder
@_exported public import enum CoreNetKitChain.PolicyScope
@_exported public import struct CoreNetKitChain.TransportNode

// Users.
@_exported public import struct CoreNetKitChain.Partition
@_exported public import protocol CoreNetKitChain.PartitionProvider
@_exported public import protocol CoreNetKitChain.SessionDataOwner
@_exported public import protocol CoreNetKitChain.SessionKeeper
@_exported public import struct CoreNetKitChain.SignOut

// Retry, tokens, limits: all of it.
@_exported public import CoreNetKitRecovery
