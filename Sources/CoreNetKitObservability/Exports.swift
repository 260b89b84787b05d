@_exported public import CoreNetKit
