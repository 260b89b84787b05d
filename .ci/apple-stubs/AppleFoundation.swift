// Foundation as it is on Apple's platforms: with the networking, Darwin and ObjectiveC in it. The sources see it under the
// name Foundation (-module-alias).
@_exported public import Darwin
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import FoundationNetworking
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
