import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

/// An `InputStream` with a single reader, read on a thread that may block.
///
/// `@unchecked Sendable`: the stream is used only on the queue.
final class InputSource: @unchecked Sendable {
    private static let chunkSize = 64 << 10

    private let stream: InputStream
    private let queue = DispatchQueue(label: "CoreNetKit.InputStream", qos: .userInitiated)
    private let isTaken = Locked(false)

    init(_ stream: InputStream) { self.stream = stream }

    deinit { stream.close() }

    /// Claims the stream for its one reader.
    ///
    /// - Returns: Whether this was the first claim.
    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    /// The next bytes, `nil` at the end.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.read() }) }
        }
    }

    private func read() throws -> Data? {
        if stream.streamStatus == .notOpen { stream.open() }
        var chunk = Data(count: Self.chunkSize)
        let count = chunk.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? 0
        }
        guard count >= 0 else {
            throw UploadBody.failed(
                "the request's InputStream failed: \(stream.streamError.map { "\($0)" } ?? "no reason")"
            )
        }
        return count == 0 ? nil : chunk.prefix(count)
    }
}

/// The bytes of an `InputStream` as chunks; it cannot be read again from the start.
struct InputChunks: AsyncSequence {
    typealias Element = Data
    typealias Failure = any Error

    let source: InputSource

    func makeAsyncIterator() -> Iterator { Iterator(source: source, isFirst: source.take()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: InputSource
        fileprivate let isFirst: Bool

        mutating func next() async throws -> Data? {
            guard isFirst else {
                throw UploadBody.failed("the request's InputStream was already read; it can be read only once")
            }
            return try await source.next()
        }
    }
}
