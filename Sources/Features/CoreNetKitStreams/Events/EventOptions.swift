public import CoreNetKitHTTP

/// How a stream of events is asked for.
public struct EventOptions: Sendable {
    /// The id to resume from; empty for none.
    public var lastEventID = ""
    /// The longest silence; comments and pings end it.
    public var idle: Duration? = .seconds(300)
    /// How much is kept in memory.
    public var limits = EventLimits()
    /// Says where to go on in another way than by the field `Last-Event-ID`: gets the request and the last id, which is
    /// not empty.
    public var resume: (@Sendable (inout TransportRequest, String) throws -> Void)?

    /// Creates the options that the standard describes.
    public init() {}

    /// The request of a connection.
    func request(after id: String) -> StreamRequest {
        let resume = resume
        return StreamRequest(idle: idle, fields: ["Cache-Control": "no-cache"]) { request in
            guard !id.isEmpty else { return }
            if let resume { return try resume(&request, id) }
            // An id is any text; one that no field can carry is not sent, and is no reason to end.
            if FieldCheck.isValue(id) { request.headers["Last-Event-ID"] = id }
        }
    }
}
