/// One value, or one member name, in the list of a ``JsonDocument``: eight bytes.
///
/// An array or object takes a second token with its own position, followed by its contents; a name is followed by its
/// value.
package struct JsonToken {
    package enum Kind: UInt8 {
        case null, no, yes, number, string, array, object
    }

    package struct Traits: OptionSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A string with escapes.
        package static let escaped = Traits(rawValue: 1)
        /// A string that is not ASCII.
        package static let wide = Traits(rawValue: 2)
        /// A number with a fraction or an exponent.
        package static let fractional = Traits(rawValue: 4)
    }

    /// From this size on the size is stored in the document: there are no bits left for it here.
    static let largeSize: UInt32 = 1 << 26 - 1

    /// The position where a string or number begins; for an array or object, the token after its last one.
    package let start: UInt32
    /// From the lowest bits: kind, traits, size.
    private let rest: UInt32

    @inline(__always)
    init(_ kind: Kind, _ traits: Traits = [], start: Int, size: Int = 0) {
        self.start = UInt32(truncatingIfNeeded: start)
        rest =
            UInt32(kind.rawValue) | UInt32(traits.rawValue) << 3
            | min(UInt32(truncatingIfNeeded: size), Self.largeSize) << 6
    }

    /// Sets the position of an array or object.
    @inline(__always)
    init(parent: Int, ordinal: Int) {
        start = UInt32(truncatingIfNeeded: parent)
        rest = UInt32(truncatingIfNeeded: ordinal)
    }

    @inline(__always)
    package var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: rest & 7)) ?? .null }

    /// The traits of a string or number; for an object, the combined traits of its names.
    @inline(__always)
    package var traits: Traits { Traits(rawValue: UInt8(truncatingIfNeeded: rest >> 3 & 7)) }

    /// The number of bytes of a string or number; for an array or object, its number of elements or members.
    @inline(__always)
    var size: UInt32 { rest >> 6 }

    /// In the second token of an array or object: its container, and its position there.
    var place: (parent: UInt32, ordinal: UInt32) { (start, rest) }

    @inline(__always)
    package var isContainer: Bool { rest & 7 >= UInt32(Kind.array.rawValue) }
}
