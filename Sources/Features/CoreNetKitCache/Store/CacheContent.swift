public import CoreNetKitEssentials
import CoreNetKitSystem

/// Open content, readable in pieces.
public protocol CacheContent: Sendable {
    /// The number of bytes.
    var length: Int64 { get }

    /// Reads all bytes of a range inside the content; `nil` if they cannot be read or are damaged.
    func read(_ range: Range<Int64>) async -> Data?
}

/// Takes the content of a response while it arrives.
public protocol CacheWriter: Sendable {
    /// Adds the next bytes; returns `false` if the entry is abandoned: too large, or it cannot be written.
    func write(_ chunk: Data) async -> Bool

    /// Ends the content, and stores the variant with it in the record.
    func commit() async -> CacheEdit.Result

    /// Abandons the entry.
    func discard() async
}

struct CollectingWriter: CacheWriter {
    private let collected = Locked<Data?>(Data())
    let limit: Int64
    let put: @Sendable (Data) async -> CacheEdit.Result

    func write(_ chunk: Data) async -> Bool {
        collected.withLock { data in
            guard let count = data?.count, Int64(count) + Int64(chunk.count) <= limit else {
                data = nil
                return false
            }
            if count == 0 { data = chunk } else { data?.append(chunk) }
            return true
        }
    }

    func commit() async -> CacheEdit.Result {
        guard let data = collected.withLock({ $0.take() }) else { return .refused }
        return await put(data)
    }

    func discard() async { collected.withLock { $0 = nil } }
}

/// Replaces the commit of another writer.
struct CommitInterceptingWriter: CacheWriter {
    let writer: any CacheWriter
    let end: @Sendable (any CacheWriter) async -> CacheEdit.Result

    func write(_ chunk: Data) async -> Bool { await writer.write(chunk) }
    func commit() async -> CacheEdit.Result { await end(writer) }
    func discard() async { await writer.discard() }
}

package struct DataContent: CacheContent {
    package let data: Data

    package init(_ data: Data) { self.data = data }

    package var length: Int64 { Int64(data.count) }

    package func read(_ range: Range<Int64>) async -> Data? {
        guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
        if range.upperBound - range.lowerBound == length { return data }
        let start = data.startIndex + Int(range.lowerBound)
        return data[start..<start + Int(range.upperBound - range.lowerBound)]
    }
}
