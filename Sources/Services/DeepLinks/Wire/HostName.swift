import CoreNetKitSystem

/// A host as it travels: in lower case, each label that is not ASCII in Punycode behind `xn--`.
///
/// Apps write `münchen.de`, the system delivers `xn--mnchen-3ya.de`.
enum HostName {
    static func ascii(_ text: String) -> String {
        // An escape stands for a letter of the host only where nothing but letters comes of it.
        let decoded = text.contains("%") ? PercentEncoding.decodeStrictly(text) : nil
        let name = decoded.flatMap { isASCII($0) ? nil : $0 } ?? text
        return isASCII(name) ? name.lowercasedASCII : Punycode.host(name)
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}
