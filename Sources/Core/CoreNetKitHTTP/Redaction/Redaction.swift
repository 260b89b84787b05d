package import CoreNetKitEssentials

/// Removes secrets from everything that may reach a log: credentials in URLs, secret query items, secret fields.
package enum Redaction {
    /// The URL without user, password, fragment and the values of secret items.
    package static func url(_ url: URL, by rules: SecretRules = .standard) -> String {
        text(of: url.absoluteString, by: rules)
    }

    /// The same for a URL that may not be valid.
    package static func text(of url: String, by rules: SecretRules = .standard) -> String {
        var redactor = Redactor(by: rules)
        return redactor.url(url)
    }

    package static func message(_ text: String, by rules: SecretRules = .standard) -> String {
        var redactor = Redactor(by: rules)
        return redactor.message(text)
    }

    /// A field line, without the value of a secret field or the secrets of a URL in it.
    package static func line(_ field: Headers.Field, by rules: SecretRules = .standard) -> String {
        var redactor = Redactor(by: rules)
        return "\(field.name): \(redactor.value(of: field))"
    }

    package static func lines(_ headers: Headers, by rules: SecretRules) -> String {
        headers.fields.map { line($0, by: rules) }.joined(separator: "\n")
    }

    /// Whether a URL contains a certain or possible secret, by its names, or a token of a known form: such a URL stays in
    /// memory.
    package static func hasSecrets(url: String, by rules: SecretRules) -> Bool {
        var redactor = Redactor(by: rules, removesRandom: false, least: .inDoubt)
        _ = redactor.url(url)
        return redactor.hasReplaced
    }

    /// Whether a field carries a certain or possible secret, by its name or in its URL, or a token of a known form: such a
    /// field is sent only to its origin.
    package static func hasSecrets(_ field: Headers.Field, by rules: SecretRules) -> Bool {
        if rules.isCommon(field: field.name), !Redactor.hasURLs(field.name) { return false }
        if rules.verdict(field: field.name) != .harmless { return true }
        guard !field.value.isEmpty else { return false }
        guard Redactor.hasURLs(field.name) else {
            return SecretPattern.hasToken(field.value) && rules.isCredential(field: field.name, value: field.value)
        }
        var redactor = Redactor(by: rules, removesRandom: false, least: .inDoubt)
        _ = redactor.value(of: field)
        return redactor.hasReplaced
    }
}

// The descriptions of values that carry secrets, for logs: counts and types, no contents.

extension TransportRequest: CustomStringConvertible {
    /// Method, URL and counts on one line, without secrets.
    public var description: String {
        "\(method) \(Redaction.url(url, by: secrets)), \(headers.count) fields, \(body.summary)"
    }
}

extension TransportResponse: CustomStringConvertible {
    /// Status, URL and counts on one line, without secrets.
    public var description: String {
        "status \(status) from \(Redaction.url(url, by: secrets)), \(headers.count) fields, \(body.summary)"
    }
}

extension RequestBody {
    fileprivate var summary: String {
        switch content {
        case .empty: "no content"
        case .bytes(let data): "\(data.count) bytes"
        case .file: "a file"
        case .stream(let length, _, _, _): length.map { "a stream of \($0) bytes" } ?? "a stream"
        }
    }
}

extension ResponseBody {
    fileprivate var summary: String {
        switch self {
        case .bytes(let data): "\(data.count) bytes"
        case .stream: "a stream"
        case .file: "a file"
        case .duplex: "a connection"
        }
    }
}

extension Headers: CustomReflectable {
    /// The field lines without secrets.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: fields.map { Redaction.line($0) }, displayStyle: .collection)
    }
}

extension Headers.Field: CustomStringConvertible, DescriptionOnly {
    /// The field line; the value of a secret field and secrets in links are not shown.
    public var description: String { Redaction.line(self) }
}

/// A value of which reflection, as by `dump`, shows only the description, because its parts may be secret.
package protocol DescriptionOnly: CustomReflectable {}

extension DescriptionOnly {
    /// No parts.
    public var customMirror: Mirror {
        Mirror(self, children: [], displayStyle: Self.self is AnyClass ? .class : .struct)
    }
}
