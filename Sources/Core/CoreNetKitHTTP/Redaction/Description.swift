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
        case .stream(let length, _, _): length.map { "a stream of \($0) bytes" } ?? "a stream"
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

extension Headers.Field: CustomStringConvertible, CustomReflectable {
    /// The field line; the value of a secret field and secrets in links are not shown.
    public var description: String { Redaction.line(self) }

    /// Hides the fields from reflection.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
