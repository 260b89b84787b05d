import CoreNetKitSystem

import CoreNetKitEssentials

/// The stored bytes before and after an arriving part of the same content.
struct SurroundingBytes: Sendable {
    let content: any CacheContent
    /// Positions in the stored content.
    let before: Range<Int64>
    let after: Range<Int64>

    var count: Int64 { Int64(before.count + after.count) }
}

/// Writes the stored bytes around the arriving ones.
struct RestoringWriter: CacheWriter {
    private let writer: any CacheWriter
    private let surrounding: SurroundingBytes
    private let hasBegun = Locked(false)

    init(_ writer: any CacheWriter, _ surrounding: SurroundingBytes) {
        (self.writer, self.surrounding) = (writer, surrounding)
    }

    func write(_ chunk: Data) async -> Bool {
        guard await begin() else { return false }
        return await writer.write(chunk)
    }

    func commit() async -> CacheEdit.Result {
        guard await begin(), await surrounding.content.copy(surrounding.after, to: writer) else {
            await writer.discard()
            return .failed
        }
        return await writer.commit()
    }

    func discard() async { await writer.discard() }

    private func begin() async -> Bool {
        let isFirst = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        return isFirst ? await surrounding.content.copy(surrounding.before, to: writer) : true
    }
}

/// A stored part and the bytes after it, as one content.
struct JoinedContent: CacheContent {
    let first: any CacheContent
    let second: Data

    var length: Int64 { first.length + Int64(second.count) }

    func read(_ range: Range<Int64>) async -> Data? {
        guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
        var data = Data()
        let head = range.clamped(to: 0..<first.length)
        if !head.isEmpty {
            guard let bytes = await first.read(head) else { return nil }
            data = bytes
        }
        let tail = range.clamped(to: first.length..<length)
        guard !tail.isEmpty else { return data }
        let start = second.startIndex + Int(tail.lowerBound - first.length)
        return data + second[start..<start + tail.count]
    }
}

extension CacheContent {
    /// Copies a range, piece by piece.
    ///
    /// - Returns: Whether all of them could be read and written.
    fileprivate func copy(_ range: Range<Int64>, to writer: any CacheWriter) async -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            let end = min(range.upperBound, position + 1 << 18)
            guard let piece = await read(position..<end), await writer.write(piece) else { return false }
            position = end
        }
        return true
    }
}
