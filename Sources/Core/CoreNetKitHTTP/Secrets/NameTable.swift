/// Names of fields, compared as a few machine words, so that nearly every field is checked without comparing each
/// letter.
///
/// Exact for letters and `-`, in any case: no other valid field name matches one of them.
///
/// `@unchecked Sendable`: it is immutable. Created once and never freed, so that a look-up counts no references.
struct NameTable: @unchecked Sendable {
    /// A name of up to 24 letters: its first, middle and last eight cover all of it.
    private struct Key: Equatable {
        let count: UInt64
        let first: UInt64
        let middle: UInt64
        let last: UInt64

        static let none = Key()

        private init() { (count, first, middle, last) = (0, 0, 0, 0) }

        @inline(__always)
        init?(_ name: UnsafeBufferPointer<UInt8>) {
            guard let start = name.baseAddress.map({ UnsafeRawPointer($0) }), (2...24).contains(name.count) else {
                return nil
            }
            let length = name.count
            count = UInt64(length)
            if length >= 8 {
                first = Self.word(start)
                middle = Self.word(start + length / 2 - 4)
                last = Self.word(start + length - 8)
            } else if length >= 4 {
                let halves = (start.loadUnaligned(as: UInt32.self), (start + length - 4).loadUnaligned(as: UInt32.self))
                first = (UInt64(halves.0) | UInt64(halves.1) << 32) | Self.lowered
                (middle, last) = (0, 0)
            } else {
                first = (UInt64(name[0]) | UInt64(name[1]) << 8 | UInt64(name[length - 1]) << 16) | Self.lowered
                (middle, last) = (0, 0)
            }
        }

        /// The bit makes letters lower case; `-` and digits already have it.
        private static let lowered: UInt64 = 0x2020_2020_2020_2020

        @inline(__always)
        private static func word(_ start: UnsafeRawPointer) -> UInt64 {
            start.loadUnaligned(as: UInt64.self) | lowered
        }

        @inline(__always)
        func place(in size: Int) -> Int {
            let mixed = (first ^ last &* 31 ^ count) &* 0x9E37_79B9_7F4A_7C15
            return Int(truncatingIfNeeded: mixed >> 32) & (size - 1)
        }
    }

    private let keys: UnsafeMutableBufferPointer<Key>

    /// Creates a table of names separated by white space.
    init(_ text: String) {
        let names = text.split(whereSeparator: \.isWhitespace)
        var size = 64
        while size < names.count * 4 { size *= 2 }
        keys = .allocate(capacity: size)
        keys.initialize(repeating: .none)
        for name in names {
            guard let key = Array(name.utf8).withUnsafeBufferPointer({ Key($0) }) else { continue }
            keys[place(of: key)] = key
        }
    }

    /// The index of a name, or where it would be inserted.
    @inline(__always)
    private func place(of key: Key) -> Int {
        var place = key.place(in: keys.count)
        while keys[place].count != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
        return place
    }

    /// Whether a name is one of them, in any case.
    @inline(__always)
    func contains(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let key = Key(name) else { return false }
        return keys[place(of: key)].count != 0
    }
}
