import CoreNetKitEssentials

/// Content with the timeout of its storage.
struct TimedContent: CacheContent {
    private let content: any CacheContent
    private let timeout: StorageTimeout

    init(_ content: any CacheContent, _ timeout: StorageTimeout) { (self.content, self.timeout) = (content, timeout) }

    var length: Int64 { content.length }

    func read(_ range: Range<Int64>) async -> Data? {
        // A read in progress is not cut off because another call timed out.
        await timeout.value(isBegun: true) { [content] in await content.read(range) } ?? nil
    }

    /// The same content for a call with a deadline.
    func within(_ deadline: Duration?) -> TimedContent { TimedContent(content, timeout.within(deadline)) }
}

extension CacheContent {
    /// The same content, read for a call with a deadline.
    func within(_ deadline: Duration?) -> any CacheContent { (self as? TimedContent)?.within(deadline) ?? self }
}
