/// Path and query of a request target in origin, absolute or authority form.
struct TargetParts {
    let path: Substring
    let query: Substring

    init(_ target: String) {
        var rest = Substring(target)
        if !rest.hasPrefix("/"), let scheme = Self.end(of: "://", in: rest) {
            let afterScheme = rest[scheme...]
            rest = afterScheme.firstIndex { $0 == "/" || $0 == "?" }.map { afterScheme[$0...] } ?? "/"
        }
        let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = mark.map { rest[..<$0] } ?? rest
        query = mark.map { rest[rest.utf8.index(after: $0)...] } ?? ""
    }

    private static func end(of separator: String, in text: Substring) -> Substring.Index? {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index...].hasPrefix(separator) { return text.index(index, offsetBy: separator.count) }
            index = text.index(after: index)
        }
        return nil
    }
}
