package import CoreNetKitEssentials

/// The state of one login, as the store keeps it.
///
/// A header that is readable without a key, authenticated together with the credential and the store key:
/// format (1 byte), state (1), number (8), lease (8), length of the sealing key's id (1), id; then the sealed credential.
/// Numbers are big-endian.
package struct CredentialRecord: Sendable, Equatable {
    package enum State: UInt8, Sendable {
        /// The credential is complete.
        case current = 1
        /// A process is about to spend the credential, or has spent it, and the result is not stored yet.
        case intention = 2
        /// The user has signed out.
        case ended = 3
    }

    package var state: State
    /// Grows with each credential and each logout of the login, for as long as any process or the store remembers it.
    package var number: UInt64
    /// The number of the lease under which the credential is spent; 0 in other states.
    package var lease: UInt64 = 0
    /// The encoded credential; empty if there is none.
    package var credential = Data()

    package init(_ state: State, _ number: UInt64, lease: UInt64 = 0, credential: Data = Data()) {
        (self.state, self.number, self.lease, self.credential) = (state, number, lease, credential)
    }

    private static let format: UInt8 = 1
    private static let headLength = 18

    package func sealed(by sealing: any Sealing, at key: SharedKey) throws(SealingError) -> Data {
        var head = Data([Self.format, state.rawValue])
        for value in [number, lease] { withUnsafeBytes(of: value.bigEndian) { head.append(contentsOf: $0) } }
        return try sealing.sealed(credential, at: key, head: head)
    }

    package init(_ bytes: Data, openedBy sealing: any Sealing, at key: SharedKey) throws(SealingError) {
        let bytes = Data(bytes)
        guard bytes.count > Self.headLength, bytes[0] == Self.format, let state = State(rawValue: bytes[1]) else {
            throw SealingError(.malformed, "the stored value is not a shared credential: another program uses this key")
        }
        let credential = try sealing.opened(bytes, at: key, headLength: Self.headLength)
        self.init(state, Self.number(bytes, 2), lease: Self.number(bytes, 10), credential: credential)
    }

    /// The number alone, which needs no key; `nil` if the bytes are not a record.
    package static func number(of bytes: Data) -> UInt64? {
        let bytes = Data(bytes.prefix(headLength + 1))
        return bytes.count > headLength && bytes[0] == format ? number(bytes, 2) : nil
    }

    private static func number(_ bytes: Data, _ start: Int) -> UInt64 {
        bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
