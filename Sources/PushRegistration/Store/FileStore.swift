#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import CoreNetKitSystem

/// Keeps texts in one JSON file that only its owner can read; several instances and processes may share it.
///
/// A write replaces the file as a whole, under a lock that all of them take, and then its twin (`….twin`): a process
/// that dies on the way, a full disk or a damaged file leaves one of the two. A file that cannot be read is an error; one
/// that is damaged is replaced by its twin or, where both are, set aside (`….damaged`). On Apple platforms the files are
/// left out of backups.
public final class FileStore: KeyValueStore {
    /// A system call that failed.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// What was tried, and why it failed.
        public let description: String
        let code: Int32
    }

    private let path: String
    private let turn = Locked(())

    /// Creates a store; the file is made by the first write, in a directory that must be there.
    public init(file: URL) { path = file.path(percentEncoded: false) }

    /// The path of the file.
    public var scope: String? { "file \(path)" }

    /// Reads a text.
    ///
    /// - Parameter key: The name of the text.
    /// - Returns: The text, `nil` where there is none.
    /// - Throws: ``Failure`` when the file is there and cannot be read.
    public func string(for key: String) throws -> String? { try transaction { try $0.string(for: key) } }

    /// Writes or removes a text.
    ///
    /// - Parameters:
    ///   - value: The text, `nil` to remove it.
    ///   - key: The name of the text.
    /// - Throws: ``Failure`` when the file cannot be replaced.
    public func set(_ value: String?, for key: String) throws { try transaction { try $0.set(value, for: key) } }

    /// Reads and writes as one step, which no other instance or process comes between.
    ///
    /// - Parameter body: The step; nothing is written when it throws.
    /// - Returns: What the step gives.
    /// - Throws: What the step throws, or ``Failure``.
    public func transaction<Result>(_ body: (any KeyValueStore) throws -> Result) throws -> Result {
        try turn.withLock { _ in
            let lock = try FileLock(path + ".lock")
            defer { lock.release() }
            let before = try read()
            let view = InMemoryStore(before)
            let result = try body(view)
            let after = view.contents
            if after != before {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                let data = try encoder.encode(after)
                try PosixFile.replace(path, with: data)
                try PosixFile.replace(path + ".twin", with: data)
            }
            return result
        }
    }

    private func read() throws -> [String: String] {
        let file = try PosixFile.read(path)
        if let values = file.flatMap(Self.values) { return values }
        if let values = try PosixFile.read(path + ".twin").flatMap(Self.values) { return values }
        if file != nil { try PosixFile.move(path, to: path + ".damaged") }
        return [:]
    }

    private static func values(_ data: Data) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: data)
    }
}
