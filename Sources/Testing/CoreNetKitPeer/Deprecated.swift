// Names of before 1.0, each with a fix-it.

extension SocketPeer {
    /// The former name of ``stopResponding()``.
    @available(*, deprecated, renamed: "stopResponding()")
    public func stayMute() { stopResponding() }
}
