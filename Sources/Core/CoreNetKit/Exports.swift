// The names of other targets that `import CoreNetKit` exports: exactly this list. These products export the rest:
//
// - events, records, custom logs: CoreNetKitObservability
// - types that only authors of nodes and policies write, such as Node, ChainPolicy, ChainPosition: CoreNetKitChain
// - types that only transports need, such as requests, responses, capabilities, errors of the wire: CoreNetKitHTTP
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
@_exported public import struct CoreNetKitHTTP.ResponseStream
@_exported public import struct CoreNetKitHTTP.SecretRules
@_exported public import struct CoreNetKitHTTP.Timeouts

// JSON.
@_exported public import struct CoreNetKitJson.Json
@_exported public import struct CoreNetKitJson.JsonCoding
@_exported public import struct CoreNetKitJson.JsonError

// Chains and their calls.
@_exported public import struct CoreNetKitChain.Chain
@_exported public import struct CoreNetKitChain.CallClock
@_exported public import struct CoreNetKitChain.RequestContext

// Waiting for a call.
@_exported public import class CoreNetKitChain.CancelBag
@_exported public import protocol CoreNetKitChain.CancelableContext
@_exported public import class CoreNetKitChain.Context
@_exported public import class CoreNetKitChain.Observer

// Errors.
@_exported public import struct CoreNetKitChain.FailedResponse
@_exported public import struct CoreNetKitChain.NetworkError

// Verbs of custom policies.
@_exported public import protocol CoreNetKitChain.PolicyHolder

// Users.
@_exported public import struct CoreNetKitChain.Partition
@_exported public import struct CoreNetKitChain.SignOut

// Names that are no longer exported, declared for the compiler's messages.
@_exported public import CoreNetKitMoved

// Retry, tokens, limits: all of it.
@_exported public import CoreNetKitRecovery
