import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

/// An `InputStream` that is read from one place at a time, on a thread that may wait.
///
/// `@unchecked Sendable`: the stream is used on the queue only.
final class InputSource: @unchecked Sendable {
    private static let chunkSize = 64 << 10

    private let stream: InputStream
    private let queue = DispatchQueue(label: "CoreNetKit.InputStream", qos: .userInitiated)
    private let isTaken = Locked(false)

    init(_ stream: InputStream) { self.stream = stream }

    deinit { stream.close() }

    /// Takes the stream for its one reader.
    ///
    /// - Returns: Whether this was the first.
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

/// The bytes of an `InputStream` as chunks; there is no way back to its start.
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
