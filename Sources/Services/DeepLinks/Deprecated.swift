// Names of 0.2, each with a fix-it.

extension DeepLinkExplanation {
    /// The former name of ``error``.
    @available(*, deprecated, renamed: "error")
    public var reason: DeepLinkError? { error }

    /// The former name of ``attempts``.
    @available(*, deprecated, renamed: "attempts")
    public var tried: [Attempt] { attempts }
}
