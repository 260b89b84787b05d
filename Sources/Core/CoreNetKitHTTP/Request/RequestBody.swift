public import CoreNetKitEssentials

/// The content of a request: nothing, bytes, a file, or a stream that is read while it is sent.
public struct RequestBody: Sendable {
    package typealias Opener = @Sendable () -> any AsyncSequence<Data, any Error>

    package enum Content: Sendable {
        case empty
        case bytes(Data)
        case file(URL)
        case stream(length: Int64?, isReplayable: Bool, open: Opener, trailers: [Trailer] = [])
    }

    package struct Trailer: Sendable {
        package let name: String
        fileprivate let value: @Sendable () throws -> String

        /// The field, once the content was sent.
        package func field() throws(TransportError) -> Headers.Field {
            do {
                let field = Headers.Field(name: name, value: try value())
                if FieldCheck.isValue(field.value) { return field }
            } catch {
                throw failed("the value of the trailer \(name) failed: \(error)")
            }
            throw failed("the trailer \(name) has a line break or another control character in its value")
        }
    }

    package let content: Content

    package init(content: Content) { self.content = content }

    /// No body: for methods that have none by nature, neither `Content-Length` nor `Transfer-Encoding` is sent.
    public static let empty = RequestBody(content: .empty)

    /// These bytes; can be sent again.
    public static func bytes(_ data: Data) -> RequestBody { .init(content: .bytes(data)) }

    /// The file's content, read while it is sent; can be sent again.
    public static func file(_ url: URL) -> RequestBody { .init(content: .file(url)) }

    /// Chunks as they arrive, read no faster than the connection accepts them.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes, sent as `Content-Length`; `nil` sends chunked.
    ///     More or fewer bytes than declared fail the request.
    ///   - isReplayable: Whether `open` returns the same bytes each time; only then can the request be repeated
    ///     (redirect 307/308, retry, a reused connection that was dead).
    ///   - open: Opens the sequence, once each time the request is sent.
    /// - Returns: A body that is read while it is sent.
    public static func stream(
        length: Int64? = nil,
        isReplayable: Bool = false,
        _ open: @escaping @Sendable () -> any AsyncSequence<Data, any Error>
    ) -> RequestBody {
        .init(content: .stream(length: length, isReplayable: isReplayable, open: open))
    }

    /// The same content as a stream with a trailer, for a value known only at its end, such as a digest (RFC 9110, 6.5).
    ///
    /// It needs `TransportCapabilities.requestTrailers`. HTTP/1.1 sends the content chunked then, also with a length; the field
    /// `Trailer` announces the names, unless the request has one. A request fails with `invalidRequest`, before anything is
    /// sent, if the name is one by which a message is framed, routed, authenticated or read (RFC 9110, 6.5.1). On another origin
    /// a redirected request has no trailer whose name says that it may be a secret.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: Returns its value; called after the last chunk, once each time the body is sent. If it throws, or the value
    ///     is invalid, the request fails with `requestBodyFailed`.
    /// - Returns: A changed copy.
    public func trailer(_ name: String, _ value: @escaping @Sendable () throws -> String) -> RequestBody {
        with(trailers: trailers + [Trailer(name: name, value: value)])
    }

    package var trailers: [Trailer] {
        if case .stream(_, _, _, let trailers) = content { trailers } else { [] }
    }

    /// The same content as a stream with other trailers.
    package func with(trailers: [Trailer]) -> RequestBody {
        switch content {
        case .empty, .bytes:
            let data = data ?? Data()
            let stream = Self.stream(length: Int64(data.count), isReplayable: true) {
                AsyncThrowingStream { content in
                    content.yield(data)
                    content.finish()
                }
            }
            return stream.with(trailers: trailers)
        case .file(let url):
            return Self.stream(isReplayable: true) { FileRange(file: url, range: 0..<(.max)) }.with(trailers: trailers)
        case .stream(let length, let isReplayable, let open, _):
            return .init(content: .stream(length: length, isReplayable: isReplayable, open: open, trailers: trailers))
        }
    }

    /// Whether the same bytes can be sent a second time.
    public var isReplayable: Bool {
        if case .stream(_, let isReplayable, _, _) = content { isReplayable } else { true }
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { if case .empty = content { true } else { false } }

    /// The bytes, if the body consists of bytes.
    public var data: Data? { if case .bytes(let data) = content { data } else { nil } }

    /// The file, if the body is a file's content.
    public var fileURL: URL? { if case .file(let url) = content { url } else { nil } }

    /// The `Content-Length` of a stream; `nil` if it is unknown, and for other bodies.
    public var streamLength: Int64? {
        if case .stream(let length, _, _, _) = content { length } else { nil }
    }

    /// Opens a stream's chunks again; `nil` for other bodies.
    ///
    /// A stream that is not replayable can be opened only once.
    public func openStream() -> (any AsyncSequence<Data, any Error>)? {
        if case .stream(_, _, let open, _) = content { open() } else { nil }
    }

    /// Returns the whole content, reading a file or a stream to its end.
    ///
    /// For your own transports, and to inspect a body before it is sent. A stream that is not replayable cannot be sent
    /// afterwards.
    ///
    /// - Parameter limit: The maximum number of bytes to accept.
    /// - Returns: The bytes.
    /// - Throws: `TransportError` with code `requestBodyFailed` if the file cannot be read or there are more bytes; any
    ///   error of the stream.
    public func collect(limit: Int = 64 << 20) async throws -> Data {
        var collected = Data()
        switch content {
        case .empty: break
        case .bytes(let data): collected = data
        case .file(let url):
            do { collected = try Data(contentsOf: url) } catch { throw failed("the file of the body cannot be read") }
        case .stream(_, _, let open, _):
            for try await chunk in open() {
                collected.append(chunk)
                if collected.count > limit { break }
            }
        }
        guard collected.count <= limit else { throw failed("the body is longer than \(limit) bytes") }
        return collected
    }

    package var isInMemory: Bool {
        switch content {
        case .empty, .bytes: true
        case .file, .stream: false
        }
    }
}

private func failed(_ message: String) -> TransportError {
    TransportError(.requestBodyFailed, phase: .send, message: message)
}
