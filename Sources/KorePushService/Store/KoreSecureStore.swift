#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where the app keeps secrets: the keychain, never user defaults.
///
/// The service keeps the device token here, and what is still to be said to the server.
public protocol KoreSecureStore: Sendable {
    /// Reads a value.
    ///
    /// - Parameter key: Its key.
    /// - Returns: The value; `nil` when there is none.
    /// - Throws: Whatever keeps the store from being read.
    func data(for key: String) async throws -> Data?

    /// Writes a value, durable when it returns.
    ///
    /// - Parameters:
    ///   - data: The value; `nil` removes it.
    ///   - key: Its key.
    /// - Throws: Whatever keeps the store from being written.
    func set(_ data: Data?, for key: String) async throws
}

/// A store for tests and previews: it forgets everything at the end of the process.
public actor KoreMemoryStore: KoreSecureStore {
    private var values: [String: Data] = [:]

    /// Creates an empty store.
    public init() {}

    /// Reads a value.
    public func data(for key: String) -> Data? { values[key] }

    /// Writes a value; `nil` removes it.
    public func set(_ data: Data?, for key: String) { values[key] = data }
}
