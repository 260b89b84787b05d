import CoreNetKitEssentials

/// A writer that discards the content if its origin was cleared while it arrived.
struct ClearedWriter: CacheWriter {
    private let writer: any CacheWriter
    private let isCurrent: @Sendable () -> Bool

    init(_ writer: any CacheWriter, isCurrent: @escaping @Sendable () -> Bool) {
        (self.writer, self.isCurrent) = (writer, isCurrent)
    }

    func write(_ chunk: Data) async -> Bool { await writer.write(chunk) }

    func commit() async -> CacheEdit.Result {
        guard isCurrent() else {
            await writer.discard()
            return .refused
        }
        return await writer.commit()
    }

    func discard() async { await writer.discard() }
}
