public import CoreNetKitEssentials

/// The content of a response, in the form that `ResponseDelivery` asked for.
public enum ResponseBody: Sendable {
    /// The whole content, decompressed; empty if it was discarded.
    case bytes(Data)
    /// Chunks that can be read once.
    case stream(ResponseStream)
    /// The content was written to this file.
    case file(URL)
    /// The connection itself, after a 101: bytes in both directions.
    case duplex(DuplexStream)

    /// The bytes, if the content was collected.
    public var data: Data? {
        if case .bytes(let data) = self { data } else { nil }
    }

    /// Returns the whole content, reading a stream or a file to its end.
    ///
    /// - Parameter limit: The maximum number of bytes to accept.
    /// - Returns: The bytes, decompressed.
    /// - Throws: `TransportError` with code `responseTooLarge` over the limit, `unsupported` for a connection, which
    ///   has no content, or the error that broke the stream.
    public func collect(limit: Int = 64 << 20) async throws -> Data {
        var collected: Data
        switch self {
        case .bytes(let data): collected = data
        case .file(let url): collected = try Data(contentsOf: url)
        case .duplex:
            throw TransportError(
                .unsupported,
                phase: .receive,
                message: "a connection after a 101 has no content to collect; take it from `body`"
            )
        case .stream(let stream):
            collected = Data()
            for try await chunk in stream {
                guard collected.count + chunk.count <= limit else { throw TransportError.tooLarge(limit: limit) }
                collected.append(chunk)
            }
        }
        guard collected.count <= limit else { throw TransportError.tooLarge(limit: limit) }
        return collected
    }
}
