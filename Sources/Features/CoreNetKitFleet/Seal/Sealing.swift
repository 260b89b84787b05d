public import CoreNetKitEssentials

/// Seals secrets before they are written to a store that several processes share.
///
/// ### Choose a sealing
/// ``SealingKeys`` encrypts with your key. ``PlainSealing``, written `.plain`, leaves everything readable to
/// anyone who can read the store, its snapshots and its replicas.
///
/// ### Implement a sealing
/// The key's id is stored in plain text with each value, so that keys can be rotated while values of the old key are
/// still stored: first every process gets the new key for opening, then each process starts to seal with it. If a key
/// service provides the key, fetch the key from time to time, not for each value.
public protocol Sealing: Sendable {
    /// The id of the key that seals new values, 1 to 255 bytes of UTF-8; not secret.
    var keyID: String { get }

    /// Seals a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - place: The store key and the plain data stored with the value: opening needs the same place.
    /// - Returns: The sealed value.
    /// - Throws: ``SealingError``.
    func seal(_ value: Data, at place: Data) throws(SealingError) -> Data

    /// Opens a value.
    ///
    /// - Parameters:
    ///   - sealed: The output of ``seal(_:at:)``, possibly of another process.
    ///   - keyID: The id of the key that it was sealed with.
    ///   - place: The place that it was sealed for.
    /// - Returns: The value.
    /// - Throws: ``SealingError`` with code `unknownKey` or `notAuthentic`.
    func open(_ sealed: Data, keyID: String, at place: Data) throws(SealingError) -> Data
}

/// No sealing: anyone who can read the store can read the secrets.
public struct PlainSealing: Sealing {
    /// `plain`.
    public let keyID = "plain"

    /// Returns the value unchanged.
    public func seal(_ value: Data, at place: Data) throws(SealingError) -> Data { value }

    /// Returns the value unchanged.
    public func open(_ sealed: Data, keyID: String, at place: Data) throws(SealingError) -> Data {
        guard keyID == self.keyID else {
            let message = "the value is sealed with the key '\(keyID)', and this process has no sealing keys"
            throw SealingError(.unknownKey, message)
        }
        return sealed
    }
}

extension Sealing where Self == PlainSealing {
    /// No sealing: anyone who can read the store, a snapshot or a replica of it can read the secrets.
    public static var plain: PlainSealing { PlainSealing() }
}

/// An error in sealing or opening a shared value.
public struct SealingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// A key has no id, an id that is too long, or not 32 bytes.
        public static let badKey = Code("badKey")
        /// The value was sealed with a key that this process does not have.
        public static let unknownKey = Code("unknownKey")
        /// The value was changed after it was sealed, belongs to another place, or was sealed with another key of the same id.
        public static let notAuthentic = Code("notAuthentic")
        /// The value was not written by this framework.
        public static let malformed = Code("malformed")
        /// No library of the process has the cipher, or the library that has it failed.
        public static let unsupported = Code("unsupported")

        /// The code's name.
        public var description: String { name }
    }

    /// The class of failure.
    public let code: Code
    /// One line that is safe to log: what happened, and what to do.
    public let message: String

    /// Creates an error, for a custom sealing.
    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// One line that is safe to log.
    public var description: String { "\(code): \(message)" }
}

/// The stored form: a head, the length of the key's id (1 byte), the id, and the sealed value.
///
/// What is before the sealed value is authenticated, with the store key. The head is a format, of one byte, unless
/// there is more that is readable without a key.
extension Sealing {
    func sealed(_ value: Data, at key: SharedKey, head: Data = Data([1])) throws(SealingError) -> Data {
        let id = Data(keyID.utf8)
        guard let length = UInt8(exactly: id.count), length > 0 else {
            throw SealingError(.badKey, keyIDProblem(id.count))
        }
        let head = head + [length] + id
        return head + (try seal(value, at: Data(key.text.utf8) + head))
    }

    func opened(_ bytes: Data, at key: SharedKey, headLength: Int = 1) throws(SealingError) -> Data {
        let bytes = Data(bytes)
        let start = headLength + 1
        guard bytes.count > start, bytes[0] == 1, bytes.count >= start + Int(bytes[headLength]) else {
            throw SealingError(.malformed, "the stored value is not sealed: another program uses this key")
        }
        let end = start + Int(bytes[headLength])
        let place = Data(key.text.utf8) + bytes.prefix(end)
        return try open(Data(bytes[end...]), keyID: String(decoding: bytes[start..<end], as: UTF8.self), at: place)
    }

    /// The problem with the key's id, on one line; `nil` if there is none.
    var keyIDProblem: String? {
        let count = keyID.utf8.count
        return (1...255).contains(count) ? nil : keyIDProblem(count)
    }

    private func keyIDProblem(_ count: Int) -> String {
        "the id of the sealing key has \(count) bytes; it may have 1 to 255"
    }
}

extension SharedKey {
    /// A key of several parts, each with its length, so that no two combinations collide.
    init(kind: String, parts: [String]) { self.init(kind: kind, parts.map { "\($0.utf8.count):\($0)" }.joined()) }
}
