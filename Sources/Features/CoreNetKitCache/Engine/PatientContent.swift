import CoreNetKitEssentials

/// Content with the timeout of its storage.
struct PatientContent: CacheContent {
    private let content: any CacheContent
    private let patience: CachePatience

    init(_ content: any CacheContent, _ patience: CachePatience) { (self.content, self.patience) = (content, patience) }

    var length: Int64 { content.length }

    func read(_ range: Range<Int64>) async -> Data? {
        // A read in progress is not cut off because another call timed out.
        await patience.value(isBegun: true) { [content] in await content.read(range) } ?? nil
    }

    /// The same content for a call with a deadline.
    func within(_ deadline: Duration?) -> PatientContent { PatientContent(content, patience.within(deadline)) }
}

extension CacheContent {
    /// The same content, read for a call with a deadline.
    func within(_ deadline: Duration?) -> any CacheContent { (self as? PatientContent)?.within(deadline) ?? self }
}
