// ---- ObjectiveC
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
// ---- Darwin
// What Darwin has otherwise than Glibc, as far as our sources name it: only to type-check them on Linux.
// A declaration here hides the one of the same name that comes from Glibc.
@_exported public import Glibc

public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
@discardableResult public func pthread_self() -> pthread_t { fatalError() }
@discardableResult public func pthread_equal(_ one: pthread_t!, _ other: pthread_t!) -> Int32 { 0 }
@discardableResult public func pthread_join(_ thread: pthread_t, _ value: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32 { 0 }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { 0 }
@discardableResult public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!,
    _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }

public var F_FULLFSYNC: Int32 { 51 }
public var F_BARRIERFSYNC: Int32 { 85 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var SOCK_STREAM: Int32 { 1 }
public var SOCK_DGRAM: Int32 { 2 }
public var RUSAGE_SELF: Int32 { 0 }
@discardableResult public func getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<rusage>!) -> Int32 { 0 }
public func clock_gettime_nsec_np(_ clock: Int32) -> UInt64 { 0 }
@discardableResult public func memset_s(_ bytes: UnsafeMutableRawPointer!, _ size: Int, _ value: Int32, _ count: Int) -> Int32 { 0 }
public func sysctlbyname(
    _ name: UnsafePointer<CChar>!,
    _ value: UnsafeMutableRawPointer!,
    _ count: UnsafeMutablePointer<Int>!,
    _ newValue: UnsafeMutableRawPointer!,
    _ newCount: Int
) -> Int32 { -1 }

extension stat {
    public var st_mtimespec: timespec { st_mtim }
}
// ---- AppleFoundation
// Foundation as it is on Apple's platforms: with the networking, Darwin and ObjectiveC in it. The sources see it under the
// name Foundation (-module-alias).
@_exported public import Darwin
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import FoundationXML
@_exported public import ObjectiveC

/// <https://developer.apple.com/documentation/foundation/nsuseractivity>
open class NSUserActivity: NSObject {
    public let activityType: String
    public var webpageURL: URL?
    public init(activityType: String) { self.activityType = activityType }
}

/// <https://developer.apple.com/documentation/foundation/nsuseractivitytypebrowsingweb>
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

// Of CoreFoundation, which Foundation brings along.
public struct CFString: Hashable, Sendable, ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {}
}
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias CFDictionary = [CFString: Any]
public func CFGetTypeID(_ value: CFTypeRef!) -> CFTypeID { 0 }
public func CFBooleanGetTypeID() -> CFTypeID { 0 }
public typealias OSStatus = Int32
public typealias CFData = Data
public typealias CFArray = [Any]
public typealias CFIndex = Int
public final class CFError {}
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { 0 }

/// <https://developer.apple.com/documentation/foundation/urlsessionconfiguration>
extension URLSessionConfiguration {
    public var waitsForConnectivity: Bool {
        get { false }
        set {}
    }
    public var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
    public var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set {}
    }
}

/// <https://developer.apple.com/documentation/foundation/urlrequest>
extension URLRequest {
    public var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
    public var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set {}
    }
}

// On Linux Foundation has these without a use for them.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
