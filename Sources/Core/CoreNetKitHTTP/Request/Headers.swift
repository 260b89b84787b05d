/// HTTP fields in wire order; names are compared without regard to ASCII case.
///
/// A name may occur more than once (`Set-Cookie`); nothing is joined or re-capitalised.
/// - SeeAlso: [RFC 9110, 5](https://www.rfc-editor.org/rfc/rfc9110#section-5)
public struct Headers: Sendable, Hashable {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The field name as it was written.
        public var name: String
        /// The field value without surrounding white space.
        public var value: String

        /// Creates a field line.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }

        /// Whether both have the same name, regardless of case, and the same value.
        public static func == (left: Field, right: Field) -> Bool {
            left.value == right.value && Headers.matches(left.name, right.name)
        }

        /// Feeds the lower-case name and the value.
        public func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(Headers.lowered(byte)) }
            hasher.combine(value)
        }
    }

    package var fields: [Field]

    /// Creates fields from names and values, in this order.
    public init(_ pairs: [(String, String)] = []) {
        fields = pairs.map { Field(name: $0.0, value: $0.1) }
    }

    package init(fields: [Field]) { self.fields = fields }

    /// The first value of a name; setting it replaces every value of that name, `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Headers.matches($0.name, name) }?.value }
        set {
            guard let newValue else { return remove(name) }
            guard let first = fields.firstIndex(where: { Headers.matches($0.name, name) }) else {
                return fields.append(Field(name: name, value: newValue))
            }
            fields[first] = Field(name: name, value: newValue)
            guard first + 1 < fields.count else { return }
            let rest = fields[(first + 1)...].filter { !Headers.matches($0.name, name) }
            fields.replaceSubrange((first + 1)..., with: rest)
        }
    }

    /// All values of a name, in order.
    public subscript(values name: String) -> [String] {
        fields.filter { Headers.matches($0.name, name) }.map(\.value)
    }

    /// Appends a field line, also if the name is already present.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes every field line of a name.
    public mutating func remove(_ name: String) {
        fields.removeAll { Headers.matches($0.name, name) }
    }

    /// Whether the name is present.
    public func contains(_ name: String) -> Bool { fields.contains { Headers.matches($0.name, name) } }

    /// Whether the fields say that the content is compressed; other names in `Content-Encoding`, such as a charset or
    /// `aws-chunked`, do not count.
    package var isCompressed: Bool {
        self[values: "Content-Encoding"].contains { value in
            value.lowercased().split(whereSeparator: { ", \t".contains($0) })
                .contains { ["gzip", "x-gzip", "deflate", "br", "zstd"].contains($0) }
        }
    }

    /// Replaces the fields of each name that the other value has; repeated names stay repeated.
    public mutating func merge(_ other: Headers) {
        if other.fields.count > FieldNameSet.few {
            let names = FieldNameSet(other.fields.map(\.name))
            fields.removeAll { names.contains($0.name) }
        } else {
            for field in other.fields { remove(field.name) }
        }
        fields.append(contentsOf: other.fields)
    }

    /// Whether two names are the same field; most differ in length, which is cheap to check.
    @inline(__always)
    package static func matches(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && matchesInLength(left, right)
    }

    @usableFromInline
    static func matchesInLength(_ left: String, _ right: String) -> Bool {
        var left = left
        var right = right
        return left.withUTF8 { a in
            right.withUTF8 { b in
                for index in 0..<a.count where a[index] != b[index] {
                    if lowered(a[index]) != lowered(b[index]) { return false }
                }
                return true
            }
        }
    }

    @inlinable
    package static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}

extension Headers: RandomAccessCollection {
    /// The position of the first field line.
    public var startIndex: Int { 0 }
    /// The position after the last field line.
    public var endIndex: Int { fields.count }
    /// The field line at a position.
    public subscript(position: Int) -> Field { fields[position] }
}

extension Headers: ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// Creates fields from a literal, in the literal's order.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

    /// The field lines, one each; values of secret fields and secrets in links are not shown.
    public var description: String { Redaction.lines(self, by: .standard) }
}

package struct FieldNameSet: Sendable {
    /// Up to this many are compared one by one.
    static let few = 16

    private let names: [String]
    /// The same as fields without values, which are compared by their names, regardless of case.
    private let table: Set<Headers.Field>

    package init(_ names: [String]) {
        self.names = names
        table = names.count > Self.few ? Set(names.lazy.map { Headers.Field(name: $0, value: "") }) : []
    }

    package func contains(_ name: String) -> Bool {
        guard table.isEmpty else { return table.contains(Headers.Field(name: name, value: "")) }
        return names.contains { Headers.matches($0, name) }
    }
}
