/// A format of streamed content.
package protocol StreamFormat: Sendable, SendableMetatype {
    /// The value of the `Accept` field.
    static var accept: String { get }
}

/// `text/event-stream`.
package enum EventFormat: StreamFormat {
    package static let accept = "text/event-stream"
}

/// JSON Lines, under the media types in use.
package enum LineFormat: StreamFormat {
    package static let accept = "application/jsonl, application/x-ndjson, application/json;q=0.5, */*;q=0.1"
}

/// JSON text sequences.
package enum SequenceFormat: StreamFormat {
    package static let accept = "application/json-seq, */*;q=0.1"
}

/// One JSON text.
package enum TextFormat: StreamFormat {
    package static let accept = "application/json"
}

/// A multipart body.
package enum PartFormat: StreamFormat {
    package static let accept = "multipart/mixed, application/json;q=0.1"
}
