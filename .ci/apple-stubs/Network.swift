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
