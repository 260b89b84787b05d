public import CoreNetKitEssentials

// Names of 0.2, each with a fix-it.

extension DeepLinkExplanation {
    /// The former name of ``error``.
    @available(*, deprecated, renamed: "error")
    public var reason: DeepLinkError? { error }

    /// The former name of ``attempts``.
    @available(*, deprecated, renamed: "attempts")
    public var tried: [Attempt] { attempts }
}

/// The former name of ``DeepLinkSourceKind``.
@available(*, deprecated, renamed: "DeepLinkSourceKind")
public typealias DeepLinkOrigin = DeepLinkSourceKind

extension DeepLinkSource {
    /// The former name of ``kind``.
    @available(*, deprecated, renamed: "kind")
    public var origin: DeepLinkSourceKind { kind }

    /// The former form of ``url(_:kind:)``.
    @available(*, deprecated, renamed: "url(_:kind:)")
    public static func url(_ url: URL, origin: DeepLinkSourceKind) -> DeepLinkSource { .url(url, kind: origin) }
}

extension DeepLinkArrival {
    /// The former name of ``sourceKind``.
    @available(*, deprecated, renamed: "sourceKind")
    public var origin: DeepLinkSourceKind { sourceKind }
}

extension DeepLinkRoute {
    /// The former name of ``sourceKinds``.
    @available(*, deprecated, renamed: "sourceKinds")
    public var origins: Set<DeepLinkSourceKind> { sourceKinds }
}

extension DeepLinkMismatch {
    /// The former name of ``source(_:)``.
    @available(*, deprecated, renamed: "source(_:)")
    public static func origin(_ kind: DeepLinkSourceKind) -> DeepLinkMismatch { .source(kind) }
}
