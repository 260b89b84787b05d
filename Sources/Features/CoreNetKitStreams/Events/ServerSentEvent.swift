/// One event of a `text/event-stream`.
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `message` if the server sent none.
    public let type: String
    /// The lines of data, joined by line feeds.
    public let data: String
    /// The last id that the server sent, with this event or before; empty if there is none.
    public let id: String

    /// Creates an event, for tests.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}

/// What a `text/event-stream` consists of.
public enum EventStreamItem: Sendable, Hashable {
    /// An event.
    case event(ServerSentEvent)
    /// A comment, which servers send to keep a connection alive.
    case comment(String)
}
