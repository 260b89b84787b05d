/// Statistics of a loopback server.
public struct LoopbackCounts: Sendable, Hashable {
    /// Connections accepted.
    public internal(set) var connections = 0
    /// Connections that are open now.
    public internal(set) var open = 0
    /// Request heads read; the body of the last one on a connection may not have arrived yet.
    public internal(set) var heads = 0
    /// Requests read completely.
    public internal(set) var requests = 0
    /// Invalid HTTP requests, each rejected with a status of 400 or above, or over HTTP/2 by a reset.
    public internal(set) var malformed = 0
    /// Responses passed to the system completely.
    public internal(set) var responses = 0
    /// The number of stalls.
    public internal(set) var stalls = 0
    /// Connections that the client ended, including resets; and streams of HTTP/2 that it reset.
    public internal(set) var clientCloses = 0
    /// Connections, and streams of HTTP/2, that the client ended by a reset.
    public internal(set) var clientResets = 0
    /// Connections that the server ended, and streams of HTTP/2 that it reset by script.
    public internal(set) var serverCloses = 0
}
