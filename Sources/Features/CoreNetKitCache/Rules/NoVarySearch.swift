package import CoreNetKitHTTP
import CoreNetKitSystem

/// Which parts of a URL's query do not select among responses, as a response declares (draft-ietf-httpbis-no-vary-search-05).
package struct NoVarySearch: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The names that count; `nil` if all except ``ignored`` do.
    private var counted: Set<String>?
    private var ignored: Set<String> = []
    /// Whether the order of names counts; that of values of one name always does.
    private var keepsOrder = true

    /// Parses the field; `nil` if it is absent, malformed, or changes nothing.
    package init?(_ headers: Headers) {
        let lines = headers[values: "No-Vary-Search"]
        guard !lines.isEmpty, let entries = Self.entries(lines.joined(separator: ",")) else { return nil }
        if let order = entries["key-order"] {
            guard case .flag(let isFree) = order else { return nil }
            keepsOrder = !isFree
        }
        switch entries["params"] {
        case nil, .flag(false): break
        case .flag(true): counted = []
        case .texts(let names): ignored = Set(names.map(Self.decoded))
        case .other: return nil
        }
        if let except = entries["except"] {
            guard case .texts(let names) = except, counted != nil else { return nil }
            counted = Set(names.map(Self.decoded))
        }
        if keepsOrder, counted == nil, ignored.isEmpty { return nil }
    }

    /// The items of a query that count, in their order if that counts; equal for queries that select the same response.
    package func items(of query: Substring?) -> [Item] {
        var items: [Item] = []
        for part in (query ?? "").split(separator: "&") {
            let equals = part.firstIndex(of: "=") ?? part.endIndex
            let name = Self.decoded(part[..<equals])
            guard counted?.contains(name) ?? !ignored.contains(name) else { continue }
            items.append(Item(name: name, value: Self.decoded(part[equals...].dropFirst())))
        }
        guard !keepsOrder else { return items }
        return items.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        PercentEncoding.decode(text, plusIsSpace: true)
    }
}

/// The subset of structured dictionaries (RFC 9651, 3.2) that the field needs.
extension NoVarySearch {
    private enum Value {
        case flag(Bool)
        case texts([String])
        case other
    }

    /// The entries, the last one if a name occurs twice; `nil` if the text is no dictionary.
    private static func entries(_ text: String) -> [String: Value]? {
        guard let members = FieldScanner.members(of: [text]) else { return nil }
        var entries: [String: Value] = [:]
        // A comma inside a list of names does not separate entries: the text after it is no name.
        for member in members {
            let end = member.firstIndex { $0 == "=" || $0 == ";" } ?? member.endIndex
            let name = String(member[..<end])
            guard isKey(name) else { return nil }
            guard end < member.endIndex, member[end] == "=" else {
                entries[name] = .flag(true)
                continue
            }
            entries[name] = value(member[member.index(after: end)...])
        }
        return entries
    }

    private static func isKey(_ name: String) -> Bool {
        guard let first = name.utf8.first, first == UInt8(ascii: "*") || 0x61...0x7A ~= first else { return false }
        return name.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || [UInt8(ascii: "_"), UInt8(ascii: "-"), 0x2E, 0x2A].contains($0)
        }
    }

    private static func value(_ text: Substring) -> Value {
        let bytes = Array(text.utf8)
        if text.hasPrefix("?"), bytes.count == 2 || bytes.count > 2 && bytes[2] == UInt8(ascii: ";") {
            return bytes[1] == UInt8(ascii: "1") ? .flag(true) : bytes[1] == UInt8(ascii: "0") ? .flag(false) : .other
        }
        return texts(text).map { .texts($0) } ?? .other
    }

    /// `("a" "b");parameter`, all of them strings; parameters are ignored.
    private static func texts(_ text: Substring) -> [String]? {
        var scanner = FieldScanner(text)
        guard scanner.take("(") else { return nil }
        var texts: [String] = []
        while true {
            while scanner.take(" ") {}
            if scanner.take(")") { return scanner.isAtEnd || scanner.next == UInt8(ascii: ";") ? texts : nil }
            guard let text = scanner.quoted(isStructured: true) else { return nil }
            texts.append(text)
            // Parameters of the string.
            _ = scanner.text(upTo: " )\"")
            if scanner.next == UInt8(ascii: "\"") { return nil }
        }
    }
}
