public import CoreNetKitEssentials

extension Json {
    /// Reads a JSON text.
    ///
    /// - Parameter data: UTF-8, with or without a byte order mark.
    /// - Throws: ``JsonError`` with the place of the fault.
    /// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)
    public init(parsing data: Data) throws(JsonError) {
        self = try JsonDocument.reading(data).tree(at: 0)
    }

    /// Reads a JSON text.
    ///
    /// - Parameter text: One JSON value; white space around it is allowed.
    /// - Throws: ``JsonError`` with the place of the fault.
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
    ///
    /// - Returns: The JSON text.
    /// - Throws: ``JsonError`` if the value is nested too deeply, or is undecoded and not JSON; `EncodingError` and
    ///   whatever else a model throws while it is encoded.
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

    /// Writes the value as text.
    ///
    /// - Parameters:
    ///   - pretty: Whether to write one member or element per line.
    ///   - sortedKeys: Whether to write members by name instead of in their own order.
    /// - Returns: The JSON text.
    /// - Throws: ``JsonError`` if the value is nested too deeply, or is undecoded and not JSON.
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
