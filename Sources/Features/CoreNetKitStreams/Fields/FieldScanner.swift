/// Parses the grammar that field values share: tokens, quoted strings, white space.
struct FieldScanner {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position >= bytes.count }
    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 { position += 1 }
    }

    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard let next, next == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// The text up to one of the bytes, or to the end.
    mutating func text(upTo stops: String) -> String {
        let start = position
        while let byte = next, !stops.utf8.contains(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// A quoted string without quotes and escapes; `nil` if it is not closed.
    mutating func quoted() -> String? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), let escaped = next {
                content.append(escaped)
                position += 1
            } else {
                content.append(byte)
            }
        }
        return nil
    }

    /// Parameters such as `; name=value; name="quoted"; name`, names in lower case.
    ///
    /// - Parameter isList: Whether a comma ends them.
    /// - Returns: The parameters; `nil` when one is malformed.
    mutating func parameters(isList: Bool) -> [FieldParameter]? {
        var parameters: [FieldParameter] = []
        let stops = isList ? ";," : ";"
        while true {
            skipSpace()
            guard take(";") else { return parameters }
            skipSpace()
            let name = text(upTo: "= \t" + stops).lowercased()
            skipSpace()
            guard take("=") else {
                if !name.isEmpty { parameters.append(FieldParameter(name: name, value: "")) }
                continue
            }
            skipSpace()
            guard !name.isEmpty else { return nil }
            if next == UInt8(ascii: "\"") {
                guard let value = quoted() else { return nil }
                parameters.append(FieldParameter(name: name, value: value))
            } else {
                parameters.append(FieldParameter(name: name, value: text(upTo: " \t" + stops)))
            }
        }
    }
}

/// A parameter of a field value.
struct FieldParameter: Sendable, Hashable {
    /// The name in lower case.
    let name: String
    /// The value without quotes; empty if there is none.
    let value: String
}
