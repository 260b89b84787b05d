#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Leaves secrets out of everything that may reach a log: credentials in URLs, secret query items, secret fields.
package enum Redaction {
    /// The URL without user, password, fragment and the values of secret query items.
    package static func url(_ url: URL) -> String { text(of: url.absoluteString) }

    /// The same for a URL that may not be valid.
    package static func text(of url: String) -> String {
        var redactor = Redactor()
        return redactor.url(url)
    }

    /// Whether values under this name are left out of a query or form.
    package static func isSecret(item name: some StringProtocol) -> Bool { SecretName.strength(name) != .none }

    /// A field line: without the value of a secret field, and without the secrets of a URL in it.
    package static func line(_ field: Headers.Field) -> String {
        var redactor = Redactor()
        return "\(field.name): \(redactor.value(of: field))"
    }
}
