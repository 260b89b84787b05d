import CoreNetKit

extension Json {
    /// A whole number, also if sent as text.
    var tolerantInt: Int? { int ?? string.flatMap { Int($0) } }

    /// A Boolean in the forms that servers use; `nil` for anything else.
    var tolerantBool: Bool? {
        if let bool { return bool }
        switch string?.lowercased() ?? number {
        case "1", "y", "yes", "true": return true
        case "0", "n", "no", "false", "": return false
        default: return nil
        }
    }

    /// The object inside a text: some servers send a nested object as JSON text.
    var unwrapped: Json {
        guard let string, string.utf8.count <= 65_536, let object = try? Json(parsing: string), object.object != nil
        else { return self }
        return object
    }
}

extension String {
    /// Whether the text has no visible characters.
    var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
    }
}
