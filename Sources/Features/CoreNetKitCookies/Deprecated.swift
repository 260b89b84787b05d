public import CoreNetKitChain

// Names of 0.2, each with what to write.

extension PolicyHolder {
    /// The former form of ``cookies(_:)``.
    @available(*, deprecated, message: "write 'cookies(_:)', or 'without(.cookies)' instead of nil")
    public func cookies(in jar: CookieJar?) -> Self { jar.map { cookies($0) } ?? without(CookieNode.position) }
}

extension CookieJar {
    /// The former name of ``removeSessionCookies()``.
    @available(*, deprecated, renamed: "removeSessionCookies()")
    public func endSession() { removeSessionCookies() }
}
