import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
import Foundation

/// Receives the content of one response, on the engine's queue.
protocol ResponseSink: AnyObject {
    func receive(_ data: Data) throws(TransportError)
    /// The content is complete.
    func finish() throws(TransportError) -> ResponseBody
    /// The bytes collected so far, for content that fails.
    var arrived: Data { get }
    func abort(_ error: any Error)
}

extension ResponseSink {
    var arrived: Data { Data() }
}

/// Counts decoded content against the expansion guard.
struct ContentCount {
    private static let expansion = ExpansionGuard(.init(ratio: 100, total: 4 << 30))
    private let isCoded: Bool
    /// The bytes on the wire; `nil` if the content has another limit.
    private let wire: Int64?
    private var received: Int64 = 0

    /// - Parameters:
    ///   - head: The response's head.
    ///   - isLimited: Whether the content has another limit.
    init(_ head: SessionResponseHead, isLimited: Bool = false) {
        isCoded = !head.codings.isEmpty
        // `URLSession` reports decoded bytes only: without a length, the content counts as a MiB of them.
        let length = head.headers["Content-Length"].flatMap { Int64($0) } ?? ExpansionGuard.free
        wire = isLimited ? nil : max(0, length)
    }

    mutating func add(_ data: Data) throws(TransportError) {
        received += Int64(data.count)
        guard isCoded, Self.expansion.refuses(received, from: wire) else { return }
        throw TransportError(
            .responseTooLarge,
            phase: .receive,
            message: "the content expands beyond the decompression guard"
        )
    }
}

/// Collects the content in memory.
final class CollectingSink: ResponseSink {
    private let limit: Int
    private var count: ContentCount
    private var data = Data()
    var arrived: Data { data }

    init(limit: Int, head: SessionResponseHead) {
        self.limit = limit
        count = ContentCount(head, isLimited: true)
        if let length = head.headers["Content-Length"].flatMap(Int.init), length > 0 {
            data.reserveCapacity(min(length, limit, 16 << 20))
        }
    }

    func receive(_ more: Data) throws(TransportError) {
        guard data.count + more.count <= limit else { throw .tooLarge(limit: limit) }
        try count.add(more)
        data.append(more)
    }

    func finish() -> ResponseBody { .bytes(data) }

    func abort(_ error: any Error) {}
}

/// Discards the content.
final class DroppingSink: ResponseSink {
    func receive(_ data: Data) {}

    func finish() -> ResponseBody { .bytes(Data()) }

    func abort(_ error: any Error) {}
}

/// Writes the content beside its destination, and moves it there when it is complete.
final class FileSink: ResponseSink {
    private let destination: URL
    private let path: String
    private let file: DescriptorFile
    private var count: ContentCount?
    private var isFinished = false

    init(_ destination: URL) throws(TransportError) {
        self.destination = destination
        path = destination.path + "." + UUID().uuidString + ".part"
        do {
            file = try DescriptorFile(creating: path)
        } catch {
            throw FileSink.failed(error.reason)
        }
    }

    deinit { discard() }

    func begin(_ head: SessionResponseHead) { count = ContentCount(head) }

    func receive(_ data: Data) throws(TransportError) {
        try count?.add(data)
        do { try file.append(data) } catch { throw FileSink.failed(error.reason) }
    }

    func finish() throws(TransportError) -> ResponseBody {
        do { try PosixFiles().rename(path, to: destination.path) } catch { throw FileSink.failed(error.reason) }
        isFinished = true
        return .file(destination)
    }

    func abort(_ error: any Error) { discard() }

    private func discard() {
        guard !isFinished else { return }
        isFinished = true
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func failed(_ text: String) -> TransportError {
        TransportError(.fileFailed, phase: .receive, message: "the response's file cannot be written: \(text)")
    }
}
