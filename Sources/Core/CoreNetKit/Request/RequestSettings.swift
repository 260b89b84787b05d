/// How requests are made: query, fields, encodings, limits.
///
/// Changed by the verbs of ``RequestHolder``.
public struct RequestSettings: Sendable {
    var options = RequestOptions()

    /// The default settings: GET, JSON in the body if there is one.
    public init() {}
}

extension RequestSettings: CustomStringConvertible, CustomReflectable {
    /// Counts on one line, without values.
    public var description: String {
        "\(options.metadata.count) fields, \(options.query == nil ? "no query" : "a query")"
    }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
