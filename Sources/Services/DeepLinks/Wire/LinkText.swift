import CoreNetKitEssentials
import CoreNetKitSystem

/// Decodes and checks a segment of a path, or a part of a query; percent escapes are decoded once.
enum LinkText {
    /// The maximum number of bytes of a part.
    static let limit = 1024

    static func decodeSegment(_ bytes: ArraySlice<UInt8>) throws(DeepLinkError) -> String {
        guard let text = PercentEncoding.decodeStrictly(String(decoding: bytes, as: UTF8.self)) else { throw .badPath }
        return try check(text)
    }

    static func decodeItem(_ bytes: ArraySlice<UInt8>) throws(DeepLinkError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let text = PercentEncoding.decodeStrictly(text, plusIsSpace: true) else { throw .badQuery }
        return try checkLength(text)
    }

    static func checkLength(_ text: String) throws(DeepLinkError) -> String {
        guard text.utf8.count <= limit else { throw .tooLong }
        return text
    }

    /// Rejects text that could change the path when segments are joined again, or that displays as different text.
    static func check(_ text: String) throws(DeepLinkError) -> String {
        guard text != ".", text != ".." else { throw .badPath }
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: throw .badPath
            default: if scalar == "/" || scalar == "\\" || scalar.isDirectionMark { throw .badPath }
            }
        }
        return try checkLength(text)
    }

    static func encode(_ text: String) -> String { PercentEncoding.encode(text, as: .component) }

    static func isUnreserved(_ text: String) -> Bool { text.utf8.allSatisfy(PercentEncoding.Table.component.keeps) }
}

extension Unicode.Scalar {
    /// Whether the scalar changes the direction of the text after it.
    fileprivate var isDirectionMark: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }
}

extension String {
    /// Whether the text has no visible characters.
    var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
    }

    /// The text in lower case, as schemes and hosts are compared: only ASCII letters are converted.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
