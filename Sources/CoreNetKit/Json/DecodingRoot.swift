import CoreNetKitTransport

/// The body that a decoder reads, in the decoder's `userInfo`: what is decoded as ``Json`` is taken from it as it stands,
/// numbers and order included, instead of being asked of the decoder piece by piece.
final class DecodingRoot: Sendable {
    static let key = CodingUserInfoKey(rawValue: "CoreNetKit.DecodingRoot")

    private let body: JsonSource
    /// Whether the keys of a coding path are those of the body; a key strategy changes them.
    private let hasPlainKeys: Bool
    /// Where the decoder is that reads the body at this moment.
    private let reader = Locked<UInt?>(nil)

    init(_ body: JsonSource, hasPlainKeys: Bool) {
        self.body = body
        self.hasPlainKeys = hasPlainKeys
    }

    /// The body that the decoder of an element reads.
    static func body(ofElement decoder: any Decoder) -> JsonSource? {
        root(of: decoder)?.body
    }

    /// The value that a decoder stands on, if it is certain that it reads the body and where it stands in it.
    ///
    /// An entry may pass its `userInfo` on to a decoder of its own that reads something else.
    static func value(under decoder: any Decoder) -> Json? {
        guard let root = root(of: decoder), root.hasPlainKeys, let address = address(of: decoder),
            root.reader.withLock({ $0 == address })
        else { return nil }
        return try? root.body.tree().part(at: decoder.codingPath)
    }

    /// Lets ``value(under:)`` trust this decoder for as long as it decodes.
    fileprivate static func trusting<Value>(_ decoder: any Decoder, _ decode: () throws -> Value) rethrows -> Value {
        guard let root = root(of: decoder), let address = address(of: decoder) else { return try decode() }
        root.reader.withLock { $0 = address }
        defer { root.reader.withLock { $0 = nil } }
        return try decode()
    }

    /// The address of a decoder that is an object, as Foundation's is; a cast to `AnyObject` is slow on Linux.
    private static func address<Reader: Decoder>(of decoder: Reader) -> UInt? {
        Reader.self is AnyClass ? withUnsafeBytes(of: decoder) { $0.load(as: UInt.self) } : nil
    }

    private static func root(of decoder: any Decoder) -> DecodingRoot? {
        key.flatMap { decoder.userInfo[$0] as? DecodingRoot }
    }
}

/// What a body is decoded as: says which decoder reads it, and is the value otherwise.
struct Rooted<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try DecodingRoot.trusting(decoder) {
            try Json.hasOwnForm(Value.self) ? decoder.singleValueContainer().decode(Value.self) : Value(from: decoder)
        }
    }
}
