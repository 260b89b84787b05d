extension Json {
    /// Whether the content is empty although the status implies content.
    var isBlank: Bool {
        guard !isNoContent, case .source(let source) = storage, let bytes = source.bytes else { return false }
        return bytes.isEmpty
    }
}
