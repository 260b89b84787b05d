extension Json: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Makes `null`.
    ///
    /// - Parameter nilLiteral: Nothing.
    public init(nilLiteral: ()) { self = .null }

    /// Makes a Boolean.
    ///
    /// - Parameter value: The value.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// Makes a number.
    ///
    /// - Parameter value: The number.
    public init(integerLiteral value: Int64) { self.init(.integer(value)) }

    /// Makes a number with the shortest text that gives the same `Double`; `null` if it is not finite.
    ///
    /// - Parameter value: The number.
    public init(floatLiteral value: Double) { self.init(value.isFinite ? .number(value.description) : .null) }

    /// Makes a string.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) { self.init(value) }

    /// Makes an array.
    ///
    /// - Parameter elements: The elements.
    public init(arrayLiteral elements: Json...) { self.init(elements) }

    /// Makes an object.
    ///
    /// - Parameter elements: The members in their order.
    public init(dictionaryLiteral elements: (String, Json)...) {
        self.init(.object(JsonObject(elements.map { (key: $0.0, value: $0.1) })))
    }

    /// Makes a Boolean.
    ///
    /// - Parameter value: The value.
    public init(_ value: Bool) { self.init(.bool(value)) }

    /// Makes a number.
    ///
    /// - Parameter value: The number.
    public init(_ value: some BinaryInteger) {
        self.init(Int64(exactly: value).map(Storage.integer) ?? .number(String(value)))
    }

    /// Makes a string.
    ///
    /// - Parameter value: The text.
    public init(_ value: String) { self.init(.string(value)) }

    /// Makes an array.
    ///
    /// - Parameter elements: The elements.
    public init(_ elements: [Json]) { self.init(.array(elements)) }

    /// Makes an object with sorted names.
    ///
    /// - Parameter members: The members.
    public init(_ members: [String: Json]) {
        self.init(.object(JsonObject(members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })))
    }

    /// Makes a number from its text, which is kept unchanged.
    ///
    /// - Parameter number: A number in RFC 8259 syntax, such as `1e400`; anything else gives `nil`.
    public init?(number: String) {
        guard let first = number.utf8.first, first == UInt8(ascii: "-") || 0x30...0x39 ~= first,
            let last = number.utf8.last, 0x30...0x39 ~= last, let value = try? Json(parsing: number)
        else { return nil }
        self = value
    }
}
