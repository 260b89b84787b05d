import CoreNetKitHTTP

/// One element of `Sec-WebSocket-Extensions` (RFC 6455, 9.1).
package struct SocketExtension: Sendable, Hashable {
    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String?

        package init(_ name: String, _ value: String? = nil) { (self.name, self.value) = (name, value) }
    }

    package let name: String
    package var parameters: [Parameter]

    package init(_ name: String, _ parameters: [Parameter] = []) { (self.name, self.parameters) = (name, parameters) }

    package var text: String {
        parameters.reduce(name) { $0 + "; " + $1.name + ($1.value.map { "=" + $0 } ?? "") }
    }

    /// Reads a field's value; `nil` if the grammar does not allow it.
    package static func list(_ text: String) -> [SocketExtension]? {
        var extensions: [SocketExtension] = []
        for element in split(text, at: ",") where !trimmed(element).isEmpty {
            var parts = split(element, at: ";").map(trimmed)
            let name = String(parts.removeFirst())
            guard isToken(name) else { return nil }
            var parameters: [Parameter] = []
            for part in parts {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
                guard let name = pair.first, isToken(String(name)) else { return nil }
                guard pair.count == 2 else {
                    parameters.append(Parameter(String(name)))
                    continue
                }
                guard let value = unquoted(pair[1]) else { return nil }
                parameters.append(Parameter(String(name), value))
            }
            extensions.append(SocketExtension(name, parameters))
        }
        return extensions
    }

    /// Splits outside quotes.
    private static func split(_ text: some StringProtocol, at separator: Character) -> [Substring] {
        var (parts, isQuoted, isEscaped) = ([Substring](), false, false)
        let text = Substring(text)
        var start = text.startIndex
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == separator, !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return parts + [text[start...]]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// A token, or a quoted string whose content is a token (RFC 6455, 9.1).
    private static func unquoted(_ text: Substring) -> String? {
        guard text.first == "\"" else { return isToken(String(text)) ? String(text) : nil }
        guard text.count >= 2, text.last == "\"" else { return nil }
        let value = String(text.dropFirst().dropLast().filter { $0 != "\\" })
        return isToken(value) ? value : nil
    }

    private static func isToken(_ text: String) -> Bool { FieldCheck.isToken(text) }
}
