public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitPeer

/// The scripted result of a mock transport: a response, a failure, or silence.
///
///     .json(users)    .status(404)    .text("busy", status: 503).header("Retry-After", "1")
///     .failure(.connectionLost)    .stall    .json(users).delayed(by: .seconds(2))
public struct MockResponse: Sendable {
    enum Content: Sendable {
        case whole(Data)
        case chunks(@Sendable (Int) async throws -> Data?)
    }

    enum Outcome: Sendable {
        case response
        case failure(any Error)
        case stall
    }

    var status = 200
    var headers: Headers = [:]
    var content = Content.whole(Data())
    var delay: Duration?
    /// The outcome in place of the head.
    var outcome = Outcome.response
    /// The outcome after the content, in place of its end.
    var ending = Outcome.response
    /// A WebSocket, if the request asks for one.
    var socket: SocketScript?

    /// A response without content.
    public static let ok = MockResponse()

    /// Never responds: the call ends when it is cancelled, or with `timedOut` when the mock's clock reaches a limit of
    /// the request.
    public static let stall = MockResponse(outcome: .stall)

    /// A response without content.
    public static func status(_ status: Int, headers: Headers = [:]) -> MockResponse {
        MockResponse(status: status, headers: headers)
    }

    /// A value as `application/json` with sorted keys; if it cannot be encoded, the call fails with the name of the type.
    ///
    /// Another encoder is for dates or keys that need one. A `String` is used as JSON text instead.
    public static func json<Value: Encodable>(
        _ value: Value,
        status: Int = 200,
        encoder: JSONEncoder? = nil
    ) -> MockResponse {
        do {
            return .data(try (encoder ?? .sorted).encode(value), type: "application/json", status: status)
        } catch {
            return .failure(.failed, "the script's response is a \(Value.self) that cannot be encoded: \(error)")
        }
    }

    /// JSON text, unchanged.
    public static func json(_ text: String, status: Int = 200) -> MockResponse {
        .data(Data(text.utf8), type: "application/json", status: status)
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> MockResponse {
        .data(Data(text.utf8), type: "text/plain; charset=utf-8", status: status)
    }

    /// Bytes of a media type.
    public static func data(
        _ data: Data,
        type: String = "application/octet-stream",
        status: Int = 200
    ) -> MockResponse {
        MockResponse(status: status, headers: ["Content-Type": type], content: .whole(data))
    }

    /// Content that arrives in pieces: a stream delivers each as one chunk.
    public static func chunks(_ chunks: String..., status: Int = 200) -> MockResponse {
        let chunks = chunks.map { Data($0.utf8) }
        return .stream(status: status) { $0 < chunks.count ? chunks[$0] : nil }
    }

    /// Content made while it is read: the closure gets 0, 1, 2 … and ends it with `nil`, or breaks it with an error.
    public static func stream(
        status: Int = 200,
        _ chunk: @escaping @Sendable (Int) async throws -> Data?
    ) -> MockResponse {
        MockResponse(status: status, content: .chunks(chunk))
    }

    /// An error instead of a response.
    public static func failure(_ error: any Error) -> MockResponse { MockResponse(outcome: .failure(error)) }

    /// A transport's error instead of a response, in the phase in which it usually happens.
    public static func failure(_ code: TransportError.Code, _ message: String = "as scripted") -> MockResponse {
        .failure(TransportError(code, phase: code.usualPhase, message: message))
    }
}

extension MockResponse {
    /// The same response with one more field; a second one of the same name follows the first, a second `Content-Type`
    /// replaces it: a response has one (RFC 9110, 8.3).
    public func header(_ name: String, _ value: String) -> MockResponse {
        changed {
            if Headers.matches(name, "Content-Type") { $0.headers.remove(name) }
            $0.headers.append(name, value)
        }
    }

    /// The same response, delayed by the mock's clock.
    ///
    /// A shorter `firstByte` or `total` limit of the request ends the wait with `timedOut`, as on a wire.
    public func delayed(by delay: Duration) -> MockResponse { changed { $0.delay = delay } }

    /// The same response with an error instead of the content's end: a broken connection.
    public func thenFailing(_ error: any Error) -> MockResponse { changed { $0.ending = .failure(error) } }

    /// The same with a transport's error.
    public func thenFailing(_ code: TransportError.Code) -> MockResponse {
        thenFailing(TransportError(code, phase: .receive, message: "as scripted"))
    }

    /// The same response whose content never ends: the call ends like that of ``stall``.
    public func thenStalling() -> MockResponse { changed { $0.ending = .stall } }

    private func changed(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }
}

// The defaults for everything that a script does not specify.
extension TransportError.Code {
    var usualPhase: TransportError.Phase {
        switch self {
        case .invalidRequest, .unsupported, .shutDown: .queue
        case .cannotResolveHost: .resolve
        case .cannotConnect, .proxyFailed: .connect
        case .certificateExpired, .certificateWrongHost, .certificateUntrusted, .certificateRevoked,
            .clientCertificateRejected, .pinMismatch, .tlsFailed:
            .tls
        case .bodyLengthMismatch, .requestBodyFailed: .send
        case .connectionLost, .responseTooLarge, .decompressionFailed, .fileFailed: .receive
        default: .wait
        }
    }
}
