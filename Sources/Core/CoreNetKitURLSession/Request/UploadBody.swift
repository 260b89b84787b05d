import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

/// A request's content in the form that an upload task accepts.
enum UploadBody: Sendable {
    case none
    case data(Data)
    case file(URL, count: Int64)

    var count: Int64 {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(_, let count): count
        }
    }

    /// An existing, readable file: on Linux the task traps or hangs on any other.
    static func checkedFile(_ url: URL) throws(TransportError) -> UploadBody {
        guard url.isFileURL else { throw failed("the URL of the body is not a file URL") }
        let file: DescriptorFile
        do { file = try DescriptorFile(reading: url.path) } catch {
            throw failed("the body's file cannot be read: \(error.reason)")
        }
        guard let count = file.regularSize else { throw failed("the body is not a regular file") }
        return count == 0 ? .none : .file(url, count: count)
    }

    /// Removes the temporary file of a body that was collected from a stream.
    func removeSpool() { if case .file(let url, _) = self { try? FileManager.default.removeItem(at: url) } }

    static func failed(_ message: String) -> TransportError {
        TransportError(.requestBodyFailed, phase: .queue, message: message)
    }
}

extension UploadBody {
    /// Content up to this size is held in memory.
    private static let memoryLimit = 1 << 20

    /// Reads the whole sequence first, over 1 MiB into a temporary file.
    ///
    /// `URLSession` reads bytes with a call that must not block, and on Linux takes "none now" for the end.
    static func spooled(
        _ length: Int64?,
        _ chunks: any AsyncSequence<Data, any Error>
    ) async -> Result<UploadBody, any Error> {
        var memory = Data()
        var file: (DescriptorFile, path: String)?
        var count: Int64 = 0
        do {
            for try await chunk in chunks {
                try Task.checkCancellation()
                count += Int64(chunk.count)
                if let length, count > length { throw mismatch("more", length) }
                if file == nil, count > memoryLimit {
                    file = try DescriptorFile.temporary()
                    try file?.0.append(memory)
                    memory = Data()
                }
                if let file { try file.0.append(chunk) } else { memory.append(chunk) }
            }
            if let length, count < length { throw mismatch("fewer", length) }
            guard let file else { return .success(count == 0 ? .none : .data(memory)) }
            return .success(.file(URL(fileURLWithPath: file.path), count: count))
        } catch {
            if let file { try? FileManager.default.removeItem(atPath: file.path) }
            if let error = error as? FileError { return .failure(failed("the body's file failed: \(error.reason)")) }
            return .failure(error)
        }
    }

    private static func mismatch(_ what: String, _ length: Int64) -> TransportError {
        let message = "the body has \(what) bytes than its length \(length)"
        return TransportError(.bodyLengthMismatch, phase: .queue, message: message)
    }
}

/// An `InputStream`, read on a thread that may block; `@unchecked Sendable`: used on the queue alone.
final class InputSource: @unchecked Sendable {
    private static let chunkSize = 64 << 10

    private let stream: InputStream
    private let queue = DispatchQueue(label: "CoreNetKit.InputStream", qos: .userInitiated)
    /// Whether its one reader has claimed it.
    let isTaken = Locked(false)

    init(_ stream: InputStream) { self.stream = stream }

    deinit { stream.close() }

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
            let reason = stream.streamError.map { "\($0)" } ?? "no reason"
            throw UploadBody.failed("the request's InputStream failed: \(reason)")
        }
        return count == 0 ? nil : chunk.prefix(count)
    }
}

/// The bytes of an `InputStream` as chunks; it cannot be read again from the start.
struct InputChunks: AsyncSequence, AsyncIteratorProtocol {
    typealias Element = Data
    typealias Failure = any Error

    let source: InputSource
    private var isFirst = false

    init(source: InputSource) { self.source = source }

    func makeAsyncIterator() -> InputChunks {
        var iterator = self
        iterator.isFirst = source.isTaken.set()
        return iterator
    }

    mutating func next() async throws -> Data? {
        guard isFirst else {
            throw UploadBody.failed("the request's InputStream was already read; it can be read only once")
        }
        return try await source.next()
    }
}
