public import CoreNetKitEssentials

/// Writes values as RFC 8259 requires: quotes, backslashes and control characters are escaped, nothing else is.
package struct JsonWriter {
    package private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private let sortedKeys: Bool
    private let coding: JsonCoding

    package init(pretty: Bool = false, sortedKeys: Bool = false, coding: JsonCoding = JsonCoding()) {
        (self.coding, self.pretty, self.sortedKeys) = (coding, pretty, sortedKeys)
    }

    package mutating func write(_ value: Json, depth: Int) throws {
        switch value.storage {
        case .null: append("null")
        case .bool(true): append("true")
        case .bool(false): append("false")
        case .integer(let integer): append(String(integer))
        case .number(let text): append(text)
        case .string(let text): writeString(text)
        case .array(let elements): try write(elements, depth: depth)
        case .object(let object): try write(object, depth: depth)
        case .source(let source): try write(try source.tree(), depth: depth)
        case .model(let model):
            let coding = value.coding.isDefault ? coding : value.coding
            if pretty || !model.changes.isEmpty {
                try write(model.tree(coding), depth: depth)
            } else {
                bytes.append(contentsOf: try coding.encode(model.model))
            }
        }
    }

    private mutating func write(_ elements: [Json], depth: Int) throws {
        try Json.check(depth: depth)
        guard !elements.isEmpty else { return append("[]") }
        var separator: StaticString = "["
        for element in elements {
            append(separator)
            newLine(depth + 1)
            try write(element, depth: depth + 1)
            separator = ","
        }
        newLine(depth)
        append("]")
    }

    private mutating func write(_ object: JsonObject, depth: Int) throws {
        try Json.check(depth: depth)
        guard !object.members.isEmpty else { return append("{}") }
        var separator: StaticString = "{"
        for member in sortedKeys ? object.members.sorted(by: { $0.key < $1.key }) : object.members {
            append(separator)
            newLine(depth + 1)
            writeString(member.key)
            append(pretty ? ": " : ":")
            try write(member.value, depth: depth + 1)
            separator = ","
        }
        newLine(depth)
        append("}")
    }

    package mutating func writeString(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { source in
            guard source.contains(where: JsonEscape.isNeeded) else { return bytes.append(contentsOf: source) }
            bytes.append(
                contentsOf: [UInt8](unsafeUninitializedCapacity: source.count * 6) { buffer, count in
                    if let start = buffer.baseAddress { count = JsonEscape.write(source, to: start) }
                }
            )
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func newLine(_ depth: Int) {
        guard pretty else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension Json {
    /// Reads a JSON text.
    ///
    /// - Parameter data: UTF-8, with or without a byte order mark.
    /// - Throws: ``JsonError`` with the place of the fault.
    /// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)
    public init(parsing data: Data) throws(JsonError) {
        self = try JsonDocument.reading(data).tree(at: 0)
    }

    /// Reads one value, with white space around it or not; throws ``JsonError`` with the place of the fault.
    public init(parsing text: String) throws(JsonError) {
        var text = text
        let document = text.withUTF8 { bytes in Result { () throws(JsonError) in try JsonDocument(bytes) } }
        self = try document.get().tree(at: 0)
    }

    /// Writes the value as UTF-8.
    ///
    /// Undecoded bytes are passed on unchanged, unless the requested form requires decoding.
    ///
    /// - Parameters:
    ///   - pretty: Whether to write one member or element per line.
    ///   - sortedKeys: Whether to write members by name instead of in their own order.
    /// - Returns: The JSON text.
    /// - Throws: ``JsonError`` if the value is nested too deeply, or is undecoded and not JSON.
    public func data(pretty: Bool = false, sortedKeys: Bool = false) throws(JsonError) -> Data {
        if !pretty, !sortedKeys { return try JsonError.wrapping { try encoded() } }
        return Data(try written(pretty: pretty, sortedKeys: sortedKeys))
    }

    /// The value as sent by a chain; models in it are encoded now, with the value's own options.
    package func encoded() throws -> Data {
        switch storage {
        case .source(let source):
            if let bytes = source.bytes { return source.isNoContent ? Data("null".utf8) : bytes }
        case .model(let model): return try model.data(coding)
        default: break
        }
        var writer = JsonWriter(coding: coding)
        try writer.write(self, depth: 0)
        return Data(writer.bytes)
    }

    private func written(pretty: Bool, sortedKeys: Bool) throws(JsonError) -> [UInt8] {
        try JsonError.wrapping {
            var writer = JsonWriter(pretty: pretty, sortedKeys: sortedKeys, coding: coding)
            try writer.write(self, depth: 0)
            return writer.bytes
        }
    }

    /// Writes the value as text, in the forms of ``data(pretty:sortedKeys:)``.
    public func text(pretty: Bool = false, sortedKeys: Bool = false) throws(JsonError) -> String {
        String(decoding: try written(pretty: pretty, sortedKeys: sortedKeys), as: UTF8.self)
    }
}

extension Json: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        do throws(JsonError) { return try text() } catch { return "<no JSON: \(error)>" }
    }
}
