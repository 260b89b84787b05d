import CoreNetKitSystem

/// Where a service keeps what must survive a restart: text by key, written before the call returns.
///
/// A store that cannot be read now, such as before the device was unlocked, throws: `nil` means that there is nothing.
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

    /// Reads and writes as one step, which no other process that shares the store comes between.
    ///
    /// Without an own implementation the steps follow each other.
    /// - Parameter body: The step; it works on the store that it gets, and nothing is written when it throws.
    /// - Returns: What the step gives.
    /// - Throws: What the step or the store throws.
    func transaction<Result>(_ body: (any KeyValueStore) throws -> Result) throws -> Result

    /// What two instances of the same store have in common; `nil` when that cannot be told.
    ///
    /// Services on one store wait for one another.
    var scope: String? { get }
}

extension KeyValueStore {
    /// Runs the steps one after another.
    public func transaction<Result>(_ body: (any KeyValueStore) throws -> Result) throws -> Result { try body(self) }

    /// Not known.
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

    /// The instance itself.
    public var scope: String? { "memory \(ObjectIdentifier(self))" }
}
