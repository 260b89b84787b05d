import CoreNetKitHTTP

// The descriptions of values that carry secrets, for logs: counts and types, no contents.

extension Response: CustomStringConvertible {
    /// Status, URL and the model's type on one line, without secrets; print ``model`` for its content.
    public var description: String {
        "status \(status) from \(Redaction.url(url, by: attributes.secrets)), \(headers.count) fields, \(Model.self)"
    }
}

extension RequestModel: CustomStringConvertible {
    /// Counts and the payload's type on one line.
    public var description: String { "\(metadata.count) fields, \(Payload.self)" }
}

extension RoutedRequest: CustomStringConvertible {
    /// Method, counts and the payload's type on one line; a route may be a URL with secrets.
    public var description: String { "\(method) \(Route.self), \(metadata.count) fields, \(Payload.self)" }
}

extension Response: CustomReflectable {
    /// The unchanged model; URL and fields without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "model": model, "status": status, "url": Redaction.url(url, by: attributes.secrets),
                "headers": Redaction.lines(headers, by: attributes.secrets),
                "timings": timings,
            ],
            displayStyle: .struct
        )
    }
}

extension RequestModel: CustomReflectable {
    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension RoutedRequest: CustomReflectable {
    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
