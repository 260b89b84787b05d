public import CoreNetKitEssentials
// The script of a WebSocket uses `SocketPeer`.
@_exported public import CoreNetKitPeer
import CoreNetKitSystem

/// A real HTTP server on the loopback interface, for tests and examples, with scripted faults.
///
/// ```swift
/// let server = try LoopbackServer { _ in .json(#"{"id":1}"#) }
/// // … talk to server.url …
/// #expect(server.requests.first?.path == "/users/1")
/// ```
/// The port is chosen by the system. One thread serves every connection. The server stops when it is released, or by
/// ``stop()``; handlers that capture it must do so weakly. A handler without `await` runs on that thread: it must not
/// block. A client that ends its sending side counts as gone.
///
/// It speaks HTTP/1.1. On Linux with nghttp2 it speaks HTTP/2 as well, without TLS and on the same port: to a client that
/// begins with the preface of HTTP/2, with the same routes, responses and faults; without nghttp2 such a connection is closed.
public final class LoopbackServer: Sendable {
    /// The address of the server.
    public let address: LoopbackAddress
    /// The port; 0 for a Unix domain socket.
    public let port: Int
    /// The URL of the root, `http://127.0.0.1:<port>`; `http://localhost` for a Unix domain socket.
    public let url: URL

    let commands: CommandQueue
    let journal: WaitableState<Journal>
    let routes: Routes
    private let thread: LoopThread

    /// Starts a server with routes, see `on`.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - recording: Which requests it keeps.
    ///   - bodyLimit: The number of bytes kept of each request's content; the rest is read and counted only.
    ///   - tickInterval: The time between ticks of ``LoopbackFault/drip(_:)``; `nil` for ``tick()`` only.
    /// - Throws: ``LoopbackError`` when the system refuses a socket.
    public convenience init(
        on address: LoopbackAddress = .ipv4,
        recording: LoopbackRecording = .all,
        bodyLimit: Int = .max,
        tickInterval: Duration? = .milliseconds(5)
    ) throws {
        try self.init(address, recording, bodyLimit, tickInterval, fallback: nil)
    }

    /// Starts a server whose handler serves requests without a route, on the server's thread; an error becomes a 500.
    ///
    /// Parameters and errors as of ``init(on:recording:bodyLimit:tickInterval:)``.
    public convenience init(
        on address: LoopbackAddress = .ipv4,
        recording: LoopbackRecording = .all,
        bodyLimit: Int = .max,
        tickInterval: Duration? = .milliseconds(5),
        handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) throws {
        try self.init(address, recording, bodyLimit, tickInterval, fallback: .sync(handler))
    }

    /// The same with an asynchronous handler, called in a task that is cancelled when the client is gone.
    ///
    /// Parameters and errors as of ``init(on:recording:bodyLimit:tickInterval:)``.
    public convenience init(
        on address: LoopbackAddress = .ipv4,
        recording: LoopbackRecording = .all,
        bodyLimit: Int = .max,
        tickInterval: Duration? = .milliseconds(5),
        handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) throws {
        try self.init(address, recording, bodyLimit, tickInterval, fallback: .async(handler))
    }

    /// Runs on `poll`, as on systems without `epoll`, so that it can be tested everywhere.
    package convenience init(
        portable: Bool,
        handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) throws {
        try self.init(.ipv4, .all, .max, nil, fallback: .sync(handler), portable: portable)
    }

    private init(
        _ address: LoopbackAddress,
        _ recording: LoopbackRecording,
        _ bodyLimit: Int,
        _ tickInterval: Duration?,
        fallback: Routes.Handler?,
        portable: Bool = false
    ) throws {
        commands = try CommandQueue()
        let socket = try ListeningSocket(address)
        (self.address, port, url) = (address, socket.port, socket.url)
        journal = WaitableState(Journal(recording: recording))
        routes = Routes(fallback: fallback)
        do {
            let loop = EventLoop(
                socket: socket,
                poller: try Self.makePoller(portable: portable),
                commands: commands,
                journal: journal,
                routes: routes,
                bodyLimit: bodyLimit,
                tickInterval: tickInterval
            )
            thread = try LoopThread(loop)
        } catch {
            socket.close()
            throw error
        }
    }

    private static func makePoller(portable: Bool) throws -> any Poller {
        #if os(Linux)
            if !portable { return try EpollPoller() }
        #endif
        return PollPoller()
    }

    deinit { thread.stop(commands, waits: false) }

    /// Closes every socket, and returns when that is done; waiting tasks get a ``LoopbackError``.
    public func stop() { thread.stop(commands, waits: true) }

    /// A URL on this server: a path that may have a query.
    public func url(_ path: String) -> URL { URL(string: path, relativeTo: url)?.absoluteURL ?? url }

    /// A URL on whose port nothing listens until the process ends: connections are refused.
    ///
    /// - Throws: ``LoopbackError`` when the system refuses a socket.
    public static func unusedPortURL() throws -> URL { try refused.get() }

    /// A port that is bound but never listens, so that no other process can get it either.
    private static let refused = Result {
        let descriptor = try SystemSocket.bound(to: .ipv4)
        return try ListeningSocket.url(of: .ipv4, port: SystemSocket.port(of: descriptor))
    }
}

/// The address of a loopback server; a port is always chosen by the system.
public enum LoopbackAddress: Sendable, Hashable {
    /// `127.0.0.1`.
    case ipv4
    /// `[::1]`.
    case ipv6
    /// A Unix domain socket at this path; the file is removed when the server stops.
    case unixSocket(String)
}

/// Which requests a loopback server keeps for later inspection.
public enum LoopbackRecording: Sendable, Hashable {
    /// Every request.
    case all
    /// The newest requests, at most this many.
    case last(Int)
    /// None: for benchmarks.
    case off
}

/// How a server treats a new connection.
public enum LoopbackAdmission: Sendable, Hashable {
    /// Serves it.
    case accept
    /// Closes it at once.
    case close
    /// Resets it at once (RST).
    case reset
    /// Reads nothing and sends nothing until the client is gone.
    case stall
}

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
    /// Connections that the client ended, including resets; and HTTP/2 streams that it reset.
    public internal(set) var clientCloses = 0
    /// Connections, and HTTP/2 streams, that the client ended by a reset.
    public internal(set) var clientResets = 0
    /// Connections that the server ended, and HTTP/2 streams that it reset by script.
    public internal(set) var serverCloses = 0
}

/// Why a loopback server could not start, or why waiting for it ended early.
public struct LoopbackError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line: the failure, its place, and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }

    init(system call: String, code: Int32, at place: String) {
        description = "\(call) failed for \(place): errno \(code) (\(String(cString: strerror(code))))"
    }

    static let stopped = LoopbackError("the loopback server was stopped during a wait")
}
