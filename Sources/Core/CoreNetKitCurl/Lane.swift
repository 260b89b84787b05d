#if os(Linux)
    import CoreNetKitHTTP
    import CNetCurl
    import CoreNetKitWire

    /// Who speaks HTTP for an exchange.
    enum Lane: Sendable, Hashable {
        /// This package, over a connection that libcurl has made: HTTP/1.1 or HTTP/2, as the connection turns out.
        case wire(Route)
        /// libcurl: HTTP/3.
        case http3

        /// The HTTP proxy that is known before libcurl has decided.
        var proxy: String? { if case .wire(let route) = self { route.proxy } else { nil } }

        /// Whether an HTTP proxy makes a tunnel for an `http:` URL.
        var isTunnel: Bool { if case .wire(.tunnel) = self { true } else { false } }
    }

    /// The one place that chooses the lane of an exchange; Docs/Transports.md has it as a table.
    final class LaneRule: Sendable {
        private let version: CurlTransport.Configuration.HTTPVersion
        private let routes: RouteTable

        init(_ configuration: CurlTransport.Configuration) {
            version = configuration.httpVersion
            routes = RouteTable(configuration)
        }

        /// Whether bidirectional connections have a lane.
        var takesDuplex: Bool { version != .http2PriorKnowledge }

        /// Whether a connection to a server may speak HTTP/2, so that several exchanges may share it.
        ///
        /// Not if it is to switch to another protocol, which only HTTP/1.1 can.
        func mayShare(_ destination: borrowing Destination, isDuplex: Bool) -> Bool {
            if isDuplex { return false }
            if version == .http2PriorKnowledge { return true }
            return destination.isSecure && version != .http1 && CurlLibrary.capabilities.contains(.http2)
        }

        /// The lane of an exchange.
        ///
        /// - Parameters:
        ///   - destination: Where it goes.
        ///   - asksHTTP3: Whether it is to try HTTP/3.
        ///   - isDuplex: Whether the connection is to switch to another protocol, which only HTTP/1.1 can request.
        /// - Returns: The lane.
        /// - Throws: `TransportError` with code `unsupported` if such a request has no lane.
        func lane(
            to destination: borrowing Destination,
            asksHTTP3: Bool,
            isDuplex: Bool = false
        ) throws(TransportError) -> Lane {
            if destination.socket != nil {
                guard CurlLibrary.capabilities.contains(.unixSockets) else {
                    throw LaneRule.unsupported("the installed libcurl knows no Unix domain sockets")
                }
                return .wire(.direct)
            }
            if isDuplex, !takesDuplex {
                throw LaneRule.unsupported("connections in both directions need HTTP/1.1; see `httpVersion`")
            }
            if asksHTTP3 { return .http3 }
            if destination.isSecure { return .wire(.usual) }
            let route = routes.route(to: Destination.server(of: destination.key))
            // A proxy that forwards requests reads HTTP/1.1.
            return .wire(isDuplex || version == .http2PriorKnowledge ? route.switching : route)
        }

        private static func unsupported(_ text: String) -> TransportError {
            TransportError(.unsupported, phase: .queue, message: text)
        }
    }
#endif
