package import CoreNetKitEssentials
import CoreNetKitSystem

/// Name and password in the Basic scheme (RFC 7617).
package enum BasicCredentials {
    /// The value of `Authorization` or `Proxy-Authorization`.
    ///
    /// - Throws: `TransportError` with code `invalidRequest`, see ``problem(user:password:)``.
    package static func field(user: String, password: String) throws(TransportError) -> String {
        if let problem = problem(user: user, password: password) { throw FieldCheck.invalid(problem) }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Why these credentials cannot be sent (RFC 7617, 2); `nil` if they can.
    package static func problem(user: String, password: String) -> String? {
        if user.utf8.contains(UInt8(ascii: ":")) {
            return "the user name must not contain a colon, behind which the password begins"
        }
        let isPlain = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return isPlain ? nil : "the user name and the password must not contain control characters"
    }

    /// Why the credentials of a URL cannot be sent; `nil` if they can, or there are none.
    package static func problem(of url: URL) -> String? {
        guard let written = url.user(percentEncoded: true) else { return nil }
        guard let user = PercentEncoding.decodeStrictly(written),
            let password = PercentEncoding.decodeStrictly(url.password(percentEncoded: true) ?? "")
        else { return "the user name and the password in the URL are not percent-encoded UTF-8" }
        return problem(user: user, password: password)
    }
}
