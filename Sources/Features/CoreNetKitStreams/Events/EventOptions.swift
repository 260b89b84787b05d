public import CoreNetKitHTTP

/// How a stream of events is requested.
public struct EventOptions: Sendable {
    /// The id to resume from; empty for none.
    public var lastEventID = ""
    /// The longest silence; comments and pings count as activity.
    public var idle: Duration? = .seconds(300)
    /// How much is buffered.
    public var limits = EventLimits()
    /// Sends the position to resume from in another way than the field `Last-Event-ID`: gets the request and the last id,
    /// which is not empty.
    public var resume: (@Sendable (inout TransportRequest, String) throws -> Void)?

    /// Creates the options that the standard describes.
    public init() {}

    /// The request of a connection.
    func request(after id: String) -> StreamRequest {
        let resume = resume
        return StreamRequest(idle: idle, fields: ["Cache-Control": "no-cache"]) { request in
            guard !id.isEmpty else { return }
            if let resume { return try resume(&request, id) }
            // An id may be any text; one that is no valid field value is not sent, which is no reason to fail.
            if FieldCheck.isValue(id) { request.headers["Last-Event-ID"] = id }
        }
    }
}
