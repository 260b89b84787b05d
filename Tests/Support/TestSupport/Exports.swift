// What most tests import: the kit and its doubles.

@_exported public import CoreNetKit
@_exported public import CoreNetKitChain
@_exported public import CoreNetKitHTTP
@_exported public import CoreNetKitLoopback
@_exported public import CoreNetKitMock
@_exported public import CoreNetKitSystem
@_exported public import TestPace
