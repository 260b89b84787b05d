import CoreNetKitEssentials

/// Content whose storage is waited for as long as its other calls are.
struct PatientContent: CacheContent {
    private let content: any CacheContent
    private let patience: CachePatience

    init(_ content: any CacheContent, _ patience: CachePatience) { (self.content, self.patience) = (content, patience) }

    var length: Int64 { content.length }

    func read(_ range: Range<Int64>) async -> Data? {
        // Who has begun to read is not cut off for the sake of another call.
        await patience.value(isBegun: true) { [content] in await content.read(range) } ?? nil
    }

    /// The same, for a call with a deadline.
    func within(_ deadline: Duration?) -> PatientContent { PatientContent(content, patience.within(deadline)) }
}

extension CacheContent {
    /// The same, read for a call with a deadline.
    func within(_ deadline: Duration?) -> any CacheContent { (self as? PatientContent)?.within(deadline) ?? self }
}
