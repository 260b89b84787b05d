package import CoreNetKitHTTP

/// A request field that selected a response, with its value at that time.
public struct SelectingField: Sendable, Hashable {
    /// The field's name in lower case.
    public let name: String
    /// Its lines joined and normalised; `nil` if the request did not have it.
    public let value: String?

    /// Creates a selecting field.
    public init(name: String, value: String?) { (self.name, self.value) = (name, value) }
}

/// Which request fields select among the responses of one resource (RFC 9111, 4.1).
package enum Vary {
    /// The names that `Vary` lists, in lower case and sorted; `nil` if any line contains a `*`.
    package static func names(_ headers: Headers) -> [String]? {
        let lines = headers[values: "Vary"]
        guard !lines.isEmpty else { return [] }
        guard let members = FieldScanner.members(of: lines), !members.contains("*") else { return nil }
        return Set(members.map { $0.lowercased() }).sorted()
    }

    package static func selecting(_ names: [String], in request: Headers) -> [SelectingField] {
        names.map { SelectingField(name: $0, value: value(of: $0, in: request)) }
    }

    /// Whether the request has the same selecting fields; absent matches only absent.
    package static func matches(_ selectingFields: [SelectingField], _ request: Headers) -> Bool {
        selectingFields.allSatisfy { value(of: $0.name, in: request) == $0.value }
    }

    private static func value(of name: String, in request: Headers) -> String? {
        let lines = request[values: name]
        guard !lines.isEmpty else { return nil }
        guard let members = FieldScanner.members(of: lines) else { return lines.joined(separator: ",") }
        let text = members.joined(separator: ",")
        return isCaseInsensitive(name) ? text.lowercased() : text
    }

    /// Fields whose members are compared case-insensitively (RFC 9110, 12.5).
    private static func isCaseInsensitive(_ name: String) -> Bool {
        name == "accept-language" || name == "accept-encoding" || name == "accept-charset"
    }
}
