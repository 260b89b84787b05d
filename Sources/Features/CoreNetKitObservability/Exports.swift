@_exported public import CoreNetKit
@_exported public import CoreNetKitChain
