// ---- os
// The part of the unified log that the log sink uses: only to type-check it on Linux.

/// <https://developer.apple.com/documentation/os/oslogprivacy>
public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
    public static var `private`: OSLogPrivacy { OSLogPrivacy() }
}

/// <https://developer.apple.com/documentation/os/oslogmessage>
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: OSLogInterpolation) {}
}

/// <https://developer.apple.com/documentation/os/osloginterpolation>
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(_ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .private) {}
    public mutating func appendInterpolation(_ number: @autoclosure @escaping () -> Int, privacy: OSLogPrivacy = .private) {}
}

/// <https://developer.apple.com/documentation/os/logger>
public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func debug(_ message: OSLogMessage) {}
    public func info(_ message: OSLogMessage) {}
    public func notice(_ message: OSLogMessage) {}
    public func error(_ message: OSLogMessage) {}
    public func fault(_ message: OSLogMessage) {}
}

/// <https://developer.apple.com/documentation/os/osallocatedunfairlock>
public struct OSAllocatedUnfairLock<State> {}
// ---- Security
// The parts of the keychain and of trust in certificates that the sources use, with the shapes of Apple's signatures and no
// behaviour: only to type-check them on Linux.
@_exported public import Foundation

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300
public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrAccessGroup: CFString = "agrp"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecReturnData: CFString = "r_Data"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"
public let kSecValueData: CFString = "v_Data"

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }

// Certificates, keys and trust: <https://developer.apple.com/documentation/security/certificate-key-and-trust-services>
public final class SecTrust {}
public final class SecCertificate {}
public final class SecIdentity {}
public func SecIdentityGetTypeID() -> CFTypeID { 0 }

public let kSecClassIdentity: CFString = "idnt"
public let kSecAttrLabel: CFString = "labl"
public let kSecReturnRef: CFString = "r_Ref"
public let kSecImportExportPassphrase: CFString = "passphrase"
public let kSecImportToMemoryOnly: CFString = "memory"
public var kSecImportItemIdentity: String { "identity" }
public var kSecImportItemCertChain: String { "chain" }
public let errSecCertificateExpired: OSStatus = -67818
public let errSecCertificateNotValidYet: OSStatus = -67819
public let errSecHostNameMismatch: OSStatus = -67602
public let errSecCertificateRevoked: OSStatus = -67820

public func SecPKCS12Import(_ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus { 0 }
public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data() }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { 0 }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { 0 }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust,
    _ queue: DispatchQueue,
    _ result: @escaping (SecTrust, Bool, CFError?) -> Void
) -> OSStatus { 0 }

/// <https://developer.apple.com/documentation/security/tls_protocol_version_t>
public enum tls_protocol_version_t: UInt16, Sendable {
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
}

// What Foundation has of these types.
extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { .TLSv12 }
        set {}
    }
}
extension URLProtectionSpace {
    public var serverTrust: SecTrust? { nil }
}
extension URLCredential {
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
    public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence) {
        self.init(user: "", password: "", persistence: persistence)
    }
}
// ---- CryptoKit
// The cipher that the fleet seals with, in the shapes of Apple's signatures, and names that an app may use beside ours.
// <https://developer.apple.com/documentation/cryptokit/chachapoly>
@_exported public import Foundation

public struct SymmetricKey: Sendable {
    public init<Bytes: ContiguousBytes>(data: Bytes) {}
}
public enum ChaChaPoly: Sendable {
    public struct Nonce: Sendable {
        public init<Bytes: DataProtocol>(data: Bytes) throws {}
    }
    public struct SealedBox: Sendable {
        public init<Bytes: DataProtocol>(combined: Bytes) throws {}
        public var ciphertext: Data { Data() }
        public var tag: Data { Data() }
    }
    public static func seal<Text: DataProtocol, Other: DataProtocol>(
        _ message: Text,
        using key: SymmetricKey,
        nonce: Nonce? = nil,
        authenticating other: Other
    ) throws -> SealedBox { try SealedBox(combined: Data()) }
    public static func open<Other: DataProtocol>(
        _ box: SealedBox,
        using key: SymmetricKey,
        authenticating other: Other
    ) throws -> Data { Data() }
}
public struct SHA256 {}
public struct HMAC {}
public enum AES {}
public enum CryptoKitError: Error { case authenticationFailure }
// ---- Network
// Names of Network with nothing behind them, as in SwiftUI.swift; proxies with the shapes of Apple's signatures.
// <https://developer.apple.com/documentation/network>
@_exported public import Foundation

public enum NWConnection {}
public enum NWListener {}
public enum NWParameters {}
public enum NWEndpoint {
    case hostPort(host: Host, port: Port)

    public struct Host {
        public init(_ string: String) {}
    }
    public struct Port {
        public init?(rawValue: UInt16) {}
    }
}
/// <https://developer.apple.com/documentation/network/nwpath>
public struct NWPath: Sendable {
    public enum Status: Sendable {
        case satisfied, unsatisfied, requiresConnection
    }
    public let status: Status
}
/// <https://developer.apple.com/documentation/network/nwpathmonitor>
public final class NWPathMonitor: Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { nil }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
public enum NWBrowser {}
public enum NWError {}
public enum NWProtocolTCP {}
public enum NWProtocolTLS {
    public final class Options {
        public init() {}
    }
}
/// <https://developer.apple.com/documentation/network/proxyconfiguration>
public struct ProxyConfiguration: Sendable {
    public init(httpCONNECTProxy proxyEndpoint: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {}
    public init(socksv5Proxy proxyEndpoint: NWEndpoint) {}
    public var excludedDomains: [String] = []
    public mutating func applyCredential(username: String, password: String) {}
}
extension URLSessionConfiguration {
    public var proxyConfigurations: [ProxyConfiguration] {
        get { [] }
        set {}
    }
}
public enum NetworkListener {}
public enum NetworkConnection {}
public enum NetworkBrowser {}
public enum Coder {}
public enum TLS {}
public enum TCP {}
public enum UDP {}
public enum QUIC {}
public enum WebSocket {}
public enum TLV {}
