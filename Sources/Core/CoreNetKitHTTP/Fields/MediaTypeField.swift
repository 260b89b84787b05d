/// The value of a `Content-Type` field.
package struct MediaTypeField: Sendable, Hashable {
    /// Type and subtype in lower case, such as `text/event-stream`.
    package let essence: String
    private let parameters: [FieldParameter]

    /// Parses a field value; `nil` if it is no media type.
    package init?(parsing value: String) {
        var scanner = FieldScanner(value)
        scanner.skipSpace()
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else { return nil }
        essence = "\(type)/\(subtype)".lowercased()
        // A malformed parameter does not change the type.
        parameters = scanner.parameters(isList: false) ?? []
    }

    /// The first parameter of that name, which is in lower case.
    package subscript(parameter parameter: String) -> String? {
        parameters.first { $0.name == parameter }?.value
    }
}
