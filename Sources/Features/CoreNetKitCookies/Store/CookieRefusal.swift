/// Why a `Set-Cookie` field or a cookie was not taken.
public enum CookieRefusal: String, Error, Sendable, Hashable {
    /// It has control characters, is too long, or says nothing.
    case malformed
    /// Cookies are for http and https.
    case scheme
    /// `Domain` is a public suffix.
    case publicSuffix
    /// `Domain` is not the host's or above it.
    case domain
    /// `Secure` over http.
    case insecure
    /// It would hide a secure cookie from a request over https.
    case shadowsSecure
    /// `SameSite=None` without `Secure`.
    case sameSite
    /// The name's prefix demands attributes that are not there.
    case prefix
}
