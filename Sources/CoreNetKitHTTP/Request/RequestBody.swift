public import CoreNetKitEssentials

/// What a request carries: nothing, bytes, a file, or a stream that is read while it is sent.
public struct RequestBody: Sendable {
    package enum Content: Sendable {
        case empty
        case bytes(Data)
        case file(URL)
        case stream(length: Int64?, isReplayable: Bool, open: @Sendable () -> any AsyncSequence<Data, any Error>)
    }

    package let content: Content

    /// No body: neither `Content-Length` nor `Transfer-Encoding` is sent for methods that have none by nature.
    public static let empty = RequestBody(content: .empty)

    /// These bytes; can be sent again.
    public static func bytes(_ data: Data) -> RequestBody { .init(content: .bytes(data)) }

    /// The file's content, read while it is sent; can be sent again.
    public static func file(_ url: URL) -> RequestBody { .init(content: .file(url)) }

    /// Chunks as they come, read no faster than the connection takes them.
    ///
    /// - Parameters:
    ///   - length: The number of bytes in all, sent as `Content-Length`; `nil` sends chunked.
    ///     More or fewer bytes than promised fail the request.
    ///   - isReplayable: Whether `open` gives the same bytes each time; only then can the request be repeated
    ///     (redirect 307/308, retry, a reused connection that was dead).
    ///   - open: Opens the sequence, once for each time the request is sent.
    /// - Returns: A body that is read while it is sent.
    public static func stream(
        length: Int64? = nil,
        isReplayable: Bool = false,
        _ open: @escaping @Sendable () -> any AsyncSequence<Data, any Error>
    ) -> RequestBody {
        .init(content: .stream(length: length, isReplayable: isReplayable, open: open))
    }

    /// Whether the same bytes can be sent a second time.
    public var isReplayable: Bool {
        if case .stream(_, let isReplayable, _) = content { isReplayable } else { true }
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool {
        if case .empty = content { true } else { false }
    }

    /// The bytes, where the body is bytes.
    public var data: Data? {
        if case .bytes(let data) = content { data } else { nil }
    }

    /// The file, where the body is a file's content.
    public var fileURL: URL? {
        if case .file(let url) = content { url } else { nil }
    }

    /// What is sent as `Content-Length` for a stream; `nil` where that is not known, and for other bodies.
    public var streamLength: Int64? {
        if case .stream(let length, _, _) = content { length } else { nil }
    }

    /// Opens a stream's chunks anew; `nil` for other bodies.
    ///
    /// One that is not replayable may be opened once.
    public func openStream() -> (any AsyncSequence<Data, any Error>)? {
        if case .stream(_, _, let open) = content { open() } else { nil }
    }

    /// Gives the whole content, reading a file or a stream to its end.
    ///
    /// For transports of one's own, and to look at what is to be sent. A stream that is not replayable cannot be sent after
    /// it.
    ///
    /// - Parameter limit: The most bytes to accept.
    /// - Returns: The bytes.
    /// - Throws: `TransportError` with code `requestBodyFailed` where the file cannot be read or there are more bytes; what
    ///   the stream throws.
    public func collect(limit: Int = 64 << 20) async throws -> Data {
        var collected = Data()
        switch content {
        case .empty: break
        case .bytes(let data): collected = data
        case .file(let url):
            do { collected = try Data(contentsOf: url) } catch {
                throw TransportError(.requestBodyFailed, phase: .send, message: "the file of the body cannot be read")
            }
        case .stream(_, _, let open):
            for try await chunk in open() {
                collected.append(chunk)
                if collected.count > limit { break }
            }
        }
        guard collected.count <= limit else {
            throw TransportError(.requestBodyFailed, phase: .send, message: "the body is longer than \(limit) bytes")
        }
        return collected
    }
}

extension RequestBody {
    /// Whether all of it is in memory: nothing, or bytes.
    package var isInMemory: Bool {
        switch content {
        case .empty, .bytes: true
        case .file, .stream: false
        }
    }
}
