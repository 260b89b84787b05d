/// One value, or one name of a member, in the list of a ``JsonDocument``.
///
/// An array or object is followed by what it contains; a name is followed by its value.
struct JsonToken {
    enum Kind: UInt8 {
        case null, no, yes, number, string, array, object
    }

    struct Traits: OptionSet {
        let rawValue: UInt8

        /// A text with escapes.
        static let escaped = Traits(rawValue: 1)
        /// A text that is not ASCII.
        static let wide = Traits(rawValue: 2)
        /// A number with a fraction or an exponent.
        static let fractional = Traits(rawValue: 4)
    }

    let kind: Kind
    /// What a text or number is like; of an object, what its names have between them.
    var traits: Traits = []
    /// The place where a text or number begins; of an array or object, the token behind its last one.
    var start: UInt32
    /// The number of bytes of a text or number; of an array or object, of its elements or members.
    var size: UInt32 = 0
    /// The array or object that it stands in.
    let parent: UInt32
    /// Its place there.
    let ordinal: UInt32

    var isContainer: Bool { kind.rawValue >= Kind.array.rawValue }
}
