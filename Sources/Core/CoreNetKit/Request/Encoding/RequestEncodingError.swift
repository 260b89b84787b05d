/// Why parameters or a multipart model cannot be encoded for a request.
public struct RequestEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the value, such as `filter.owner` or `ids[2]`; empty for the whole.
    public internal(set) var path: String
    /// The problem, without the value itself.
    public let reason: String

    package init(at path: String = "", _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// One line fit for a log.
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    func under(_ key: String) -> RequestEncodingError {
        .init(at: path.isEmpty || path.hasPrefix("[") ? key + path : "\(key).\(path)", reason)
    }

    func under(_ index: Int) -> RequestEncodingError { under("[\(index)]") }
}
