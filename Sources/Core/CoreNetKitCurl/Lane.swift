#if os(Linux)
    import CoreNetKitHTTP

    /// Which implementation speaks HTTP for an exchange.
    enum Lane: Sendable, Hashable {
        /// This package, over a connection that libcurl has made: HTTP/1.1.
        case wire(Route)
        /// libcurl, over its own connections: HTTP/2, HTTP/3, and servers whose version is unknown.
        case multi

        /// The HTTP proxy that is known before libcurl has decided.
        var proxy: String? { if case .wire(let route) = self { route.proxy } else { nil } }

        /// Whether an HTTP proxy makes a tunnel for an `http:` URL.
        var isTunnel: Bool { if case .wire(.tunnel) = self { true } else { false } }
    }

    /// What a TLS server was found to speak.
    enum SpokenVersion: Sendable, Hashable {
        case http1
        /// HTTP/2 or later.
        case newer
    }

    /// The one place that chooses the lane of an exchange; Docs/Transports.md has it as a table.
    final class LaneRule: Sendable {
        private let version: CurlTransport.Configuration.HTTPVersion
        private let isOwn: Bool
        private let routes: RouteTable
        /// Whether a lane over TLS depends on the server's choice.
        let negotiates: Bool

        init(_ configuration: CurlTransport.Configuration) {
            version = configuration.httpVersion
            isOwn = configuration.http1 == .own
            routes = RouteTable(configuration)
            negotiates =
                isOwn
                && (version == .http3
                    || ([.automatic, .preferHTTP3].contains(version) && CurlLibrary.capabilities.contains(.http2)))
        }

        /// Whether bidirectional connections have a lane.
        var takesDuplex: Bool { isOwn && version != .http2PriorKnowledge }

        /// Whether URLs may name Unix domain sockets, which only this package's connections tell apart.
        var takesSockets: Bool { takesDuplex }

        /// Whether HTTP/1.1 with a server is the wire's: then libcurl keeps no connection of it.
        func takes(_ destination: borrowing Destination) -> Bool { isOwn && (negotiates || !destination.isSecure) }

        /// The lane of an exchange.
        ///
        /// - Parameters:
        ///   - destination: Where it goes.
        ///   - spoken: What a TLS server is known to speak.
        ///   - isDuplex: Whether the connection is to switch to another protocol, which only HTTP/1.1 can request.
        /// - Returns: The lane.
        /// - Throws: `TransportError` with code `unsupported` if such a request has no lane.
        func lane(
            to destination: borrowing Destination,
            spoken: SpokenVersion?,
            isDuplex: Bool = false
        ) throws(TransportError) -> Lane {
            if destination.socket != nil {
                guard takesSockets, CurlLibrary.capabilities.contains(.unixSockets) else {
                    throw TransportError(
                        .unsupported,
                        phase: .queue,
                        message: takesSockets
                            ? "the installed libcurl knows no Unix domain sockets"
                            : "URLs of Unix domain sockets need HTTP/1.1 of this package; see `http1` and `httpVersion`"
                    )
                }
                return .wire(.direct)
            }
            if isDuplex {
                guard takesDuplex else {
                    throw TransportError(
                        .unsupported,
                        phase: .queue,
                        message:
                            "connections in both directions need this package's HTTP/1.1; see `http1` and `httpVersion`"
                    )
                }
                return destination.isSecure
                    ? .wire(.usual) : .wire(routes.route(to: Destination.server(of: destination.key)).switching)
            }
            guard isOwn, version != .http2PriorKnowledge else { return .multi }
            if !destination.isSecure { return .wire(routes.route(to: Destination.server(of: destination.key))) }
            guard negotiates else { return .wire(.usual) }
            return spoken == .http1 ? .wire(.usual) : .multi
        }
    }
#endif
