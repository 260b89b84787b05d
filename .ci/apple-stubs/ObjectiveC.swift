// The names of ObjectiveC's runtime, which Foundation brings along on Apple's platforms: only to type-check on Linux.

/// <https://developer.apple.com/documentation/objectivec/method>
public typealias Method = OpaquePointer
/// <https://developer.apple.com/documentation/objectivec/category>
public typealias Category = OpaquePointer
/// <https://developer.apple.com/documentation/objectivec/ivar>
public typealias Ivar = OpaquePointer
/// <https://developer.apple.com/documentation/objectivec/imp>
public typealias IMP = OpaquePointer
/// <https://developer.apple.com/documentation/objectivec/objc_property_t>
public typealias objc_property_t = OpaquePointer
/// <https://developer.apple.com/documentation/objectivec/selector>
public struct Selector: Sendable {}
/// <https://developer.apple.com/documentation/objectivec/nszone>
public struct NSZone {}
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
