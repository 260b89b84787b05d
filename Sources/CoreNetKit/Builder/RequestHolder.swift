public import CoreNetKitChain

/// What a client and a builder have in common beside policies: how their requests are made.
public protocol RequestHolder: PolicyHolder {
    /// The settings; each has a verb.
    var requestSettings: RequestSettings { get set }
}

/// How requests are made: query, fields, encodings, limits.
///
/// Changed by the verbs of ``RequestHolder``.
public struct RequestSettings: Sendable {
    var options = RequestOptions()

    /// The settings of a client that was told nothing: GET, JSON in the body where there is one.
    public init() {}
}

extension RequestHolder {
    var options: RequestOptions.Fields { requestSettings.options.fields }

    func with(_ change: (inout RequestOptions.Fields) -> Void) -> Self {
        var copy = self
        copy.requestSettings.options.change(change)
        return copy
    }
}

extension RequestSettings: CustomStringConvertible, CustomReflectable {
    /// Counts on one line, without values.
    public var description: String {
        "\(options.fields.metadata.count) fields, \(options.fields.query == nil ? "no query" : "a query")"
    }

    /// Nothing but the description.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
