import CoreNetKit
import CoreNetKitEssentials
import CoreNetKitSystem

/// Decodes and checks a segment of a path, or a part of a query; percent escapes are decoded once.
enum LinkText {
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
    /// The text in lower case, as schemes and hosts are compared: only ASCII letters are converted.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// A host in its wire form: lower case, with labels outside ASCII in Punycode (`xn--`).
    ///
    /// Apps write `münchen.de`, the system delivers `xn--mnchen-3ya.de`.
    var wireHost: String {
        func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
        // Percent escapes are decoded only if the result is not plain ASCII.
        let decoded = contains("%") ? PercentEncoding.decodeStrictly(self) : nil
        let name = decoded.flatMap { isASCII($0) ? nil : $0 } ?? self
        return isASCII(name) ? name.lowercasedASCII : Punycode.host(name)
    }
}

extension Json {
    /// Converts what JSON can represent and omits the rest: one unknown member does not make a payload unusable.
    init?(keepingJson value: Any, depth: Int = 0) {
        guard depth < 64 else { return nil }
        if let members = value as? [AnyHashable: Any] {
            var json: [String: Json] = [:]
            for (key, member) in members {
                guard let key = key.base as? String else { continue }
                json[key] = Json(keepingJson: member, depth: depth + 1)
            }
            self.init(json)
        } else if let elements = value as? [Any] {
            self.init(elements.compactMap { Json(keepingJson: $0, depth: depth + 1) })
        } else if let json = try? Json(value) {
            self = json
        } else {
            return nil
        }
    }

    /// The value at a dotted path; `nil` if there is none or it is `null`.
    func value(at path: String) -> Json? {
        var value = self
        for key in path.split(separator: ".") {
            guard let next = value.unwrapped[String(key)], !next.isNull else { return nil }
            value = next
        }
        return value
    }

    /// A string, or an integer as a string: servers write ids in both forms.
    var id: String? {
        string ?? int64.map { String($0) } ?? uint64.map { String($0) }
    }
}
