// What every test imports.

@_exported public import Foundation
@_exported public import Testing
