public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

extension EmptyPayload: ResponsePayload {
    /// Any type is accepted.
    public static var accept: String { "*/*" }

    /// Discarded as it arrives, whatever its size.
    public static var delivery: ResponseDelivery? { .discard }

    /// Accepts any content and discards it.
    public init(response: TransportResponse) { self.init() }
}

extension Json: ResponsePayload {
    /// JSON.
    public static var accept: String { "application/json" }

    /// Keeps the content unchanged; it is decoded on first access.
    ///
    /// Status 204 or 205 without content, and a response to HEAD, give an empty collection, `nil`, or `null` for a
    /// ``Json``; with any other status, missing content is accepted only for an optional.
    /// - Throws: ``NetworkError`` when the content was not collected.
    public init(response: TransportResponse) throws {
        let data = try response.collectedBytes()
        let hasNoContent = data.isEmpty && (response.status == 204 || response.status == 205 || response.isHeadOnly)
        if hasNoContent { self = .noContent } else { self.init(undecoded: data) }
    }
}

extension Data: ResponsePayload {
    /// Any type is accepted.
    public static var accept: String { "*/*" }

    /// Keeps the content unchanged.
    ///
    /// - Throws: ``NetworkError`` with code `invalidRequest` when the content was not collected.
    public init(response: TransportResponse) throws { self = try response.collectedBytes() }
}

extension ResponseStream: ResponsePayload {
    /// Any type is accepted.
    public static var accept: String { "*/*" }
    /// As chunks.
    public static var delivery: ResponseDelivery? { .stream }

    /// Keeps the stream of chunks.
    public init(response: TransportResponse) {
        switch response.body {
        case .stream(let stream): self = stream
        case .bytes(let data): self.init(data)
        case .file, .duplex: self.init(Data())
        }
    }

    /// A stream of bytes in memory, in one chunk.
    init(_ data: Data) {
        let rest = Locked<Data?>(data.isEmpty ? nil : data)
        self.init(
            next: {
                rest.withLock { rest in
                    defer { rest = nil }
                    return rest
                }
            },
            cancel: {}
        )
    }
}

extension TransportResponse {
    /// The content, which the transport has collected for the chain.
    func collectedBytes() throws -> Data {
        guard let data = body.data else {
            throw NetworkError(
                .invalidRequest,
                "the content was not collected: this output needs the delivery .collect",
                node: .response
            )
        }
        return data
    }
}
