import CoreNetKitSystem

/// Converts a host to its wire form: lower case, with labels outside ASCII in Punycode (`xn--`).
///
/// Apps write `münchen.de`, the system delivers `xn--mnchen-3ya.de`.
enum LinkHost {
    static func ascii(_ text: String) -> String {
        // Percent escapes are decoded only if the result is not plain ASCII.
        let decoded = text.contains("%") ? PercentEncoding.decodeStrictly(text) : nil
        let name = decoded.flatMap { isASCII($0) ? nil : $0 } ?? text
        return isASCII(name) ? name.lowercasedASCII : Punycode.host(name)
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}
