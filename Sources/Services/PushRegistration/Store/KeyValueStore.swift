import CoreNetKitSystem

/// Stores the data of a service across restarts: text by key, written before the call returns.
///
/// A store that cannot be read now, such as before the first unlock of the device, throws: `nil` means no value.
public protocol KeyValueStore: Sendable {
    /// Reads a text, `nil` if there is none; throws if the store cannot be read.
    func string(for key: String) throws -> String?

    /// Writes a text, or removes it (`nil`); it is durable when the call returns. Throws if the store cannot be written.
    func set(_ value: String?, for key: String) throws

    /// Reads and writes in one step, without interference from other processes that share the store.
    ///
    /// The default implementation runs the steps without this protection.
    /// - Parameter body: The step; it uses the store that it gets, and nothing is written if it throws.
    /// - Returns: The result of the step.
    /// - Throws: The error of the step or the store.
    func transaction<Result>(_ body: (any KeyValueStore) throws -> Result) throws -> Result

    /// Identifies the underlying storage of an instance; `nil` if that is unknown.
    ///
    /// Services with the same scope send one at a time.
    var scope: String? { get }
}

extension KeyValueStore {
    /// Runs the steps one after another, without protection.
    public func transaction<Result>(_ body: (any KeyValueStore) throws -> Result) throws -> Result { try body(self) }

    /// `nil`: unknown.
    public var scope: String? { nil }
}

/// Keeps texts as long as the process runs: for tests and previews.
public final class InMemoryStore: KeyValueStore {
    private let values: Locked<[String: String]>

    /// Creates a store.
    public init(_ values: [String: String] = [:]) { self.values = Locked(values) }

    /// All texts by their keys.
    public var contents: [String: String] { values.withLock { $0 } }

    /// Reads a text.
    public func string(for key: String) -> String? { values.withLock { $0[key] } }

    /// Writes or removes a text.
    public func set(_ value: String?, for key: String) { values.withLock { $0[key] = value } }

    /// Identifies the instance.
    public var scope: String? { "memory \(ObjectIdentifier(self))" }
}
