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

    package var text: String { parameters.reduce(name) { $0 + "; " + $1.name + ($1.value.map { "=" + $0 } ?? "") } }

    /// Reads a field's value; `nil` if the grammar does not allow it.
    package static func list(_ text: String) -> [SocketExtension]? {
        guard let members = FieldScanner.members(of: [text]) else { return nil }
        var extensions: [SocketExtension] = []
        for member in members {
            var scanner = FieldScanner(member)
            guard let name = scanner.token() else { return nil }
            var found = SocketExtension(name)
            while scanner.takeSpaced(";") {
                // A token, or a quoted string whose content is one (RFC 6455, 9.1).
                guard let parameter = scanner.parameter(), parameter.value.map(FieldCheck.isToken) != false else {
                    return nil
                }
                found.parameters.append(Parameter(parameter.name, parameter.value))
            }
            guard scanner.isAtEnd else { return nil }
            extensions.append(found)
        }
        return extensions
    }
}
