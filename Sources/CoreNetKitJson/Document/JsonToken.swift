/// One value, or one name of a member, in the list of a ``JsonDocument``.
///
/// An array or object is followed by what it contains; a name is followed by its value.
package struct JsonToken {
    package enum Kind: UInt8 {
        case null, no, yes, number, string, array, object
    }

    package struct Traits: OptionSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A text with escapes.
        package static let escaped = Traits(rawValue: 1)
        /// A text that is not ASCII.
        package static let wide = Traits(rawValue: 2)
        /// A number with a fraction or an exponent.
        package static let fractional = Traits(rawValue: 4)
    }

    package let kind: Kind
    /// What a text or number is like; of an object, what its names have between them.
    package var traits: Traits = []
    /// The place where a text or number begins; of an array or object, the token behind its last one.
    package var start: UInt32
    /// The number of bytes of a text or number; of an array or object, of its elements or members.
    package var size: UInt32 = 0
    /// The array or object that it stands in.
    package let parent: UInt32
    /// Its place there.
    package let ordinal: UInt32

    package var isContainer: Bool { kind.rawValue >= Kind.array.rawValue }
}
