/// The value of a `Content-Type` field.
package struct MediaTypeField: Sendable, Hashable {
    /// Type and subtype in lower case, such as `text/event-stream`.
    package let essence: String
    private let parameters: [FieldParameter]

    /// Parses a field value; `nil` if it is no media type.
    package init?(parsing value: String) {
        var scanner = FieldScanner(value)
        scanner.skipSpace()
        essence = scanner.text(upTo: "; \t").lowercased()
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts.contains(where: \.isEmpty) else { return nil }
        // A malformed parameter does not change the type.
        parameters = scanner.parameters(isList: false) ?? []
    }

    /// The first parameter of that name, which is in lower case.
    package subscript(parameter parameter: String) -> String? {
        parameters.first { $0.name == parameter }?.value
    }
}
