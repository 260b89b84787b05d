/// What a transport can do beyond sending a request and collecting a response.
public struct TransportCapabilities: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// One bit for each capability.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Separate timeouts for connect, first byte and idle.
    public static let phaseTimeouts = TransportCapabilities(rawValue: 1 << 0)
    /// Request bodies from an async sequence.
    public static let streamingUpload = TransportCapabilities(rawValue: 1 << 1)
    /// Response bodies as chunks, in bounded memory however slow their reader is.
    public static let streamingDownload = TransportCapabilities(rawValue: 1 << 2)
    /// Timings of the parts of an exchange.
    public static let timings = TransportCapabilities(rawValue: 1 << 3)
    /// HTTP/2 over TLS, chosen by ALPN.
    public static let http2 = TransportCapabilities(rawValue: 1 << 4)
    /// HTTP/2 without TLS by prior knowledge.
    public static let http2PriorKnowledge = TransportCapabilities(rawValue: 1 << 5)
    /// HTTP and SOCKS proxies.
    public static let proxies = TransportCapabilities(rawValue: 1 << 6)
    /// Connections over a Unix domain socket.
    public static let unixSockets = TransportCapabilities(rawValue: 1 << 7)
    /// Custom certificate authorities.
    public static let customTrust = TransportCapabilities(rawValue: 1 << 8)
    /// Client certificates.
    public static let clientCertificates = TransportCapabilities(rawValue: 1 << 9)
    /// Pinning of public keys.
    public static let publicKeyPinning = TransportCapabilities(rawValue: 1 << 10)
    /// Repeated response fields kept separate and in order.
    public static let exactHeaders = TransportCapabilities(rawValue: 1 << 11)
    /// Decompression of gzip.
    public static let gzip = TransportCapabilities(rawValue: 1 << 12)
    /// Decompression of brotli.
    public static let brotli = TransportCapabilities(rawValue: 1 << 13)
    /// Decompression of zstd.
    public static let zstd = TransportCapabilities(rawValue: 1 << 14)
    /// A GET or HEAD that carries a body.
    public static let bodyOnAnyMethod = TransportCapabilities(rawValue: 1 << 15)
    /// Separate error codes for the causes of TLS failures.
    public static let preciseTLSErrors = TransportCapabilities(rawValue: 1 << 16)
    /// Delivery of a request's content undecoded, see ``TransportRequest/coding``.
    public static let identityCoding = TransportCapabilities(rawValue: 1 << 17)
    /// Progress of an exchange while it runs, see ``TransportRequest/monitor``.
    public static let progress = TransportCapabilities(rawValue: 1 << 18)
    /// Informational responses (100...199).
    public static let interimResponses = TransportCapabilities(rawValue: 1 << 19)
    /// Fields after the content of a response.
    public static let trailers = TransportCapabilities(rawValue: 1 << 20)
    /// The fields as they were actually sent, see ``TransportRequest/reportsSentHeaders``.
    public static let sentHeaders = TransportCapabilities(rawValue: 1 << 21)
    /// Version and cipher suite of TLS among the timings.
    public static let tlsDetails = TransportCapabilities(rawValue: 1 << 22)
    /// HTTP/3 where a server offers it.
    public static let http3 = TransportCapabilities(rawValue: 1 << 23)
    /// PING frames that keep an unused HTTP/2 connection alive.
    public static let http2Ping = TransportCapabilities(rawValue: 1 << 24)
    /// Connections that continue in another protocol, in both directions, see ``ResponseDelivery/duplex``.
    public static let duplex = TransportCapabilities(rawValue: 1 << 25)

    /// Fields after the content of a request, see ``RequestBody/trailer(_:_:)``.
    public static let requestTrailers = TransportCapabilities(rawValue: 1 << 26)

    /// Every named capability with its name, in the order of the documents.
    public static let named: [(name: String, capability: TransportCapabilities)] = [
        ("phaseTimeouts", .phaseTimeouts), ("streamingUpload", .streamingUpload),
        ("streamingDownload", .streamingDownload), ("timings", .timings), ("http2", .http2),
        ("http2PriorKnowledge", .http2PriorKnowledge), ("proxies", .proxies), ("unixSockets", .unixSockets),
        ("customTrust", .customTrust), ("clientCertificates", .clientCertificates),
        ("publicKeyPinning", .publicKeyPinning), ("exactHeaders", .exactHeaders), ("gzip", .gzip),
        ("brotli", .brotli), ("zstd", .zstd), ("bodyOnAnyMethod", .bodyOnAnyMethod),
        ("preciseTLSErrors", .preciseTLSErrors), ("identityCoding", .identityCoding), ("progress", .progress),
        ("interimResponses", .interimResponses), ("trailers", .trailers), ("sentHeaders", .sentHeaders),
        ("tlsDetails", .tlsDetails), ("http3", .http3), ("http2Ping", .http2Ping), ("duplex", .duplex),
        ("requestTrailers", .requestTrailers),
    ]

    /// The names of the capabilities, separated by commas.
    public var description: String {
        Self.named.filter { contains($0.capability) }.map(\.name).joined(separator: ", ")
    }
}
