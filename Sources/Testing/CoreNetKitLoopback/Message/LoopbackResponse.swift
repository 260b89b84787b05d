public import CoreNetKitEssentials
public import CoreNetKitHTTP
public import CoreNetKitPeer

/// The response of a loopback server to one request.
///
/// `Content-Length` or `Transfer-Encoding` is added by the server, unless one of them is among ``headers``.
public struct LoopbackResponse: Sendable {
    /// The content and its framing.
    public enum Body: Sendable {
        /// UTF-8 text.
        case text(String)
        /// Bytes.
        case data(Data)
        /// Chunked transfer encoding, one chunk each; over HTTP/2 content without a length.
        case chunks([Data])
        /// Content made on demand, as fast as the client reads: the closure gets 0, 1, 2 … and ends it with `nil`.
        ///
        /// Without a length the transfer encoding is chunked. The closure runs on the server's thread.
        case stream(length: Int?, @Sendable (Int) -> Data?)
        /// Bytes without a length, ended by the close of the connection, or over HTTP/2 of the stream.
        case untilClose(Data)
        /// The whole response as raw bytes; status and headers are not used. Over HTTP/2 the stream is reset.
        case raw(Data)
    }

    /// The status code; any number of three digits.
    public var status: Int
    /// The reason phrase; `nil` for the usual one.
    public var reason: String?
    /// The header fields, in wire order.
    public var headers: Headers
    /// The content.
    public var body: Body
    /// Fields after a chunked body.
    public var trailers: Headers = [:]
    /// Informational responses (100–199) sent before this one.
    public var informational: [LoopbackResponse] = []
    /// The time between the request and the first byte of the response.
    public var delay: Duration = .zero
    /// The faults of the response.
    public var faults: [LoopbackFault] = []
    /// Whether the server closes the connection after the response, and announces it; over HTTP/2 with the last open stream.
    public var closes = false
    /// A WebSocket, if the request asks for one: bytes directly after the response's head, and the handshake once received.
    var socket: (script: SocketScript, bytesAfterHead: Data, opening: SocketOpening?)?

    /// Creates a response.
    public init(status: Int = 200, headers: Headers = [:], body: Body = .text("")) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension LoopbackResponse {
    /// 200 without content.
    public static let ok = LoopbackResponse()

    /// A status without content.
    public static func status(_ status: Int, headers: Headers = [:]) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// JSON text.
    public static func json(_ text: String, status: Int = 200) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: jsonHeaders, body: .text(text))
    }

    /// A value as JSON, its keys sorted; throws the error of the encoder.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> LoopbackResponse {
        LoopbackResponse(status: status, headers: jsonHeaders, body: .data(try JSONEncoder.sorted.encode(value)))
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .text(text))
    }

    /// Bytes.
    public static func data(_ data: Data, type: String = "application/octet-stream") -> LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": type], body: .data(data))
    }

    /// A chunked body, one chunk for each string.
    public static func chunks(_ chunks: String...) -> LoopbackResponse {
        LoopbackResponse(body: .chunks(chunks.map { Data($0.utf8) }))
    }

    /// Content made on demand, see ``Body/stream(length:_:)``.
    public static func stream(length: Int? = nil, _ chunk: @escaping @Sendable (Int) -> Data?) -> LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": "application/octet-stream"], body: .stream(length: length, chunk))
    }

    /// Exactly these bytes, then the connection is closed unless `closes` says otherwise.
    public static func raw(_ bytes: Data, closes: Bool = true) -> LoopbackResponse {
        var response = LoopbackResponse(body: .raw(bytes))
        response.closes = closes
        return response
    }

    /// Exactly this text in UTF-8, then the connection is closed unless `closes` says otherwise.
    public static func raw(_ text: String, closes: Bool = true) -> LoopbackResponse {
        raw(Data(text.utf8), closes: closes)
    }

    /// A small JSON response with faults.
    public static func fault(_ faults: LoopbackFault...) -> LoopbackResponse {
        var response = json(#"{"fault":true}"#)
        response.faults = faults
        return response
    }

    /// Adds a header field line after the others; a `Content-Type` replaces an earlier one: a response has one (RFC 9110, 8.3).
    public func header(_ name: String, _ value: String) -> LoopbackResponse {
        changed {
            if Headers.matches(name, "Content-Type") { $0.headers.remove(name) }
            $0.headers.append(name, value)
        }
    }

    /// Adds a field after the content, which makes a body of bytes chunked.
    public func trailer(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.trailers.append(name, value) }
    }

    /// Adds an informational response before this one.
    public func preceded(by status: Int, headers: Headers = [:]) -> LoopbackResponse {
        changed { $0.informational.append(LoopbackResponse(status: status, headers: headers)) }
    }

    /// Waits before the first byte.
    public func delayed(by delay: Duration) -> LoopbackResponse { changed { $0.delay = delay } }

    /// Adds a fault.
    public func fault(_ fault: LoopbackFault) -> LoopbackResponse { changed { $0.faults.append(fault) } }

    /// Closes the connection after the response.
    public func closing() -> LoopbackResponse { changed { $0.closes = true } }

    private func changed(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
        var copy = self
        change(&copy)
        return copy
    }

    private static let jsonHeaders: Headers = ["Content-Type": "application/json"]
}

extension LoopbackResponse {
    /// A WebSocket, played by a script; compression as offered by the client.
    ///
    /// Faults count the bytes after the head as those of a body: `.fault(.reset(.inBody(3)))` breaks the connection in
    /// the middle of the first frames.
    /// - Parameters:
    ///   - protocols: The subprotocols that the server supports, in order of preference.
    ///   - bytesAfterHead: Bytes that are sent together with the head of the response.
    ///   - script: The server's side, see ``SocketPeer``.
    /// - Returns: A response for a handshake; any other request gets status 426, and so does each over HTTP/2.
    public static func socket(
        protocols: [String] = [],
        bytesAfterHead: Data = Data(),
        _ script: @escaping @Sendable (SocketPeer) async throws -> Void
    ) -> LoopbackResponse {
        var response = LoopbackResponse(status: 426, headers: ["Upgrade": "websocket"])
        response.socket = (SocketScript(protocols: protocols, play: script), bytesAfterHead, nil)
        return response
    }

    func opened(for request: LoopbackRequest) -> LoopbackResponse {
        guard let socket, let opening = SocketOpening(request.headers, protocols: socket.script.protocols) else {
            return self
        }
        var copy = self
        (copy.status, copy.body) = (101, .text(""))
        copy.headers = opening.response
        for field in headers where field.name != "Upgrade" { copy.headers.append(field.name, field.value) }
        copy.socket?.opening = opening
        return copy
    }
}
