// Names of 0.2, each with a fix-it.

extension KorePushServer {
    /// The former name of ``RequestFormat``.
    @available(*, deprecated, renamed: "RequestFormat")
    public typealias Wire = RequestFormat
}

extension KorePushServer.Exchange {
    /// The former name of ``requestFormat``.
    @available(*, deprecated, renamed: "requestFormat")
    public var wire: KorePushServer.RequestFormat? { requestFormat }
}
