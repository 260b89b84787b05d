import CoreNetKitEssentials
import CoreNetKitSharedStore

/// The stored form of a sealed value: format (1 byte), length of the key's id (1), id, sealed bytes.
enum SealedValue {
    private static let format: UInt8 = 1

    static func seal(_ value: Data, by sealing: any Sealing, at key: SharedKey) throws(SealingError) -> Data {
        let id = Data(sealing.keyID.utf8)
        guard let length = UInt8(exactly: id.count), length > 0 else {
            throw SealingError(.badKey, "the id of the sealing key has \(id.count) bytes; it may have 1 to 255")
        }
        let head = Data([format, length]) + id
        return head + (try sealing.seal(value, at: Data(key.text.utf8) + head))
    }

    static func open(_ bytes: Data, by sealing: any Sealing, at key: SharedKey) throws(SealingError) -> Data {
        let bytes = Data(bytes)
        guard bytes.count > 2, bytes[0] == format, bytes.count >= 2 + Int(bytes[1]) else {
            throw SealingError(.malformed, "the stored value is not sealed: another program uses this key")
        }
        let end = 2 + Int(bytes[1])
        let place = Data(key.text.utf8) + bytes.prefix(end)
        return try sealing.open(Data(bytes[end...]), keyID: String(decoding: bytes[2..<end], as: UTF8.self), at: place)
    }
}
