public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

extension EmptyPayload: ResponsePayload {
    /// Anything is fine.
    public static var accept: String { "*/*" }

    /// Dropped as it comes, whatever its size.
    public static var delivery: ResponseDelivery? { .discard }

    /// Takes any content and drops it.
    public init(response: TransportResponse) { self.init() }
}

extension Json: ResponsePayload {
    /// JSON.
    public static var accept: String { "application/json" }

    /// Takes the content as it is; it is decoded when somebody asks for it.
    ///
    /// Status 204 or 205 without content, and a response to HEAD, are an empty collection, `nil`, or `null` for a
    /// ``Json``; without content at another status only an optional can be read.
    /// - Parameter response: The response, its content collected.
    /// - Throws: ``NetworkError`` when the content was not collected.
    public init(response: TransportResponse) throws {
        let data = try response.collectedBytes()
        guard data.isEmpty else {
            self.init(undecoded: data)
            return
        }
        let hasNone = response.status == 204 || response.status == 205 || response.isHeadOnly
        if hasNone { self = .noContent } else { self.init(undecoded: data) }
    }
}

extension Data: ResponsePayload {
    /// Anything is fine.
    public static var accept: String { "*/*" }

    /// Takes the content as it is.
    ///
    /// - Parameter response: The response, its content collected.
    /// - Throws: ``NetworkError`` with code `invalidRequest` when the content was not collected.
    public init(response: TransportResponse) throws { self = try response.collectedBytes() }
}

extension ResponseStream: ResponsePayload {
    /// Anything is fine.
    public static var accept: String { "*/*" }
    /// As chunks.
    public static var delivery: ResponseDelivery? { .stream }

    /// Takes the chunks.
    public init(response: TransportResponse) {
        switch response.body {
        case .stream(let stream): self = stream
        case .bytes(let data): self.init(data)
        case .file, .duplex: self.init(Data())
        }
    }

    /// A stream of bytes that are there already, in one chunk.
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
    /// The content, which the chain asked the transport to collect.
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
