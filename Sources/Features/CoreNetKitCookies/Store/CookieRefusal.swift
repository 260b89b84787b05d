/// Why a `Set-Cookie` field or a cookie was refused.
public enum CookieRefusal: String, Error, Sendable, Hashable {
    /// It has control characters, is too long, or is empty.
    case malformed
    /// Cookies are for http and https.
    case scheme
    /// `Domain` is a public suffix.
    case publicSuffix
    /// `Domain` is neither the host nor one of its parent domains.
    case domain
    /// `Secure` over http.
    case insecure
    /// It would hide a secure cookie from a request over https.
    case shadowsSecure
    /// `SameSite=None` without `Secure`.
    case sameSite
    /// The name's prefix requires attributes that are missing.
    case prefix
}
