public import CoreNetKitChain

// Names of before 1.0, each with a fix-it.

extension TokenRefresher {
    /// The former name of ``TokenRefresher/adopt(_:in:)``.
    @available(*, deprecated, renamed: "adopt(_:in:)")
    @discardableResult
    public func renewed(_ credential: some TokenCredential, in session: Partition.Session? = nil) -> Bool {
        adopt(credential, in: session)
    }

    /// The former name of ``TokenRefresher/removeData(of:)``.
    @available(*, deprecated, renamed: "removeData(of:)")
    public func letGo(of session: Partition.Session) async { await removeData(of: session) }
}
