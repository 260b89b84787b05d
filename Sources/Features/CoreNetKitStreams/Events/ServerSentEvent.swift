import CoreNetKitEssentials

/// One event of a `text/event-stream`.
public struct ServerSentEvent: Sendable, Hashable, CustomStringConvertible {
    /// The event's type; `message` if the server sent none.
    public let type: String
    /// The data as valid UTF-8: a slice of the chunk if possible, so that a model is read from the received bytes.
    let bytes: Data
    /// The last id that the server sent, with this event or before; empty if there is none.
    public let id: String

    /// The lines of data, joined by line feeds.
    public var data: String { String(decoding: bytes, as: UTF8.self) }

    /// Type, data and id, as they were sent.
    public var description: String { "ServerSentEvent(type: \"\(type)\", data: \"\(data)\", id: \"\(id)\")" }

    /// Creates an event, for tests.
    public init(type: String = "message", data: String, id: String = "") {
        self.init(type: type, bytes: Data(data.utf8), id: id)
    }

    init(type: String, bytes: Data, id: String) { (self.type, self.bytes, self.id) = (type, bytes, id) }

    /// The same event with its own copy of the bytes: a slice would keep its whole chunk in memory.
    var copy: ServerSentEvent { ServerSentEvent(type: type, bytes: bytes.withUnsafeBytes { Data($0) }, id: id) }
}

/// An item of a `text/event-stream`.
public enum EventStreamItem: Sendable, Hashable {
    /// An event.
    case event(ServerSentEvent)
    /// A comment, which servers send to keep a connection alive.
    case comment(String)
}
