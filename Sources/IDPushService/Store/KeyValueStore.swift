import Guarding

/// Where a service keeps what must survive a restart: text by key, written before the call returns.
public protocol KeyValueStore: Sendable {
    /// Reads a text.
    ///
    /// - Parameter key: The name of the text.
    /// - Returns: The text, `nil` where there is none.
    /// - Throws: Whatever keeps the store from being read.
    func string(for key: String) throws -> String?

    /// Writes or removes a text; it is durable when the call returns.
    ///
    /// - Parameters:
    ///   - value: The text, `nil` to remove it.
    ///   - key: The name of the text.
    /// - Throws: Whatever keeps the store from being written.
    func set(_ value: String?, for key: String) throws
}

/// Keeps texts as long as the process runs: for tests and previews.
public final class InMemoryStore: KeyValueStore {
    private let values: Guarded<[String: String]>

    /// Creates a store.
    public init(_ values: [String: String] = [:]) { self.values = Guarded(values) }

    /// All texts by their keys.
    public var contents: [String: String] { values.withLock { $0 } }

    /// Reads a text.
    public func string(for key: String) -> String? { values.withLock { $0[key] } }

    /// Writes or removes a text.
    public func set(_ value: String?, for key: String) { values.withLock { $0[key] = value } }
}
