import CoreNetKitJson

extension ParameterValue {
    /// Creates a value from JSON, such as a model's raw form; numbers keep their text.
    ///
    /// A model that is not encoded yet never becomes JSON: its dates, bools and `nil` are treated like those of a
    /// `[String: Any]`, by the same strategies. Names, bytes and infinite numbers follow the ``JsonCoding`` of the
    /// chain.
    ///
    /// - Parameter json: The value.
    /// - Throws: ``RequestEncodingError`` if undecoded bytes are not JSON, or a model cannot be encoded.
    package init(json: Json) throws(RequestEncodingError) {
        do { try self.init(json, coding: json.coding) } catch let error as RequestEncodingError { throw error } catch {
            throw RequestEncodingError("the model cannot be encoded: \(error)")
        }
    }

    /// Creates a value from JSON.
    ///
    /// - Parameters:
    ///   - json: The value.
    ///   - coding: How names, bytes and infinite numbers are written, unless the value has its own options.
    /// - Throws: ``RequestEncodingError``, or an error of a model.
    package init(_ json: Json, coding: JsonCoding) throws {
        let coding = json.coding.isUsual ? coding : json.coding
        switch json.storage {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(String(value))
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(try elements.map { try ParameterValue($0, coding: coding) })
        case .object(let object):
            self = .object(try object.dictionary.mapValues { try ParameterValue($0, coding: coding) })
        case .model(let model) where model.changes.isEmpty: try self.init(encoding: model.model, coding: coding)
        case .model(let model): try self.init(changed: model, coding: coding)
        case .source:
            let parsed: Json
            do { parsed = try json.parsed() } catch { throw RequestEncodingError(at: error.path, error.reason) }
            try self.init(parsed, coding: coding)
        }
    }

    /// A model with members that were set before it was encoded.
    private init(changed model: JsonModel, coding: JsonCoding) throws {
        try self.init(encoding: model.model, coding: coding)
        for change in model.changes {
            switch change {
            case .member(let name, let value):
                var values = if case .object(let values) = self { values } else { [:] as [String: ParameterValue] }
                values[name] = try value.map { try ParameterValue($0, coding: coding) }
                self = .object(values)
            case .element(let index, let value):
                guard case .array(var elements) = self, elements.indices.contains(index) else { continue }
                if let value {
                    elements[index] = try ParameterValue(value, coding: coding)
                } else {
                    elements.remove(at: index)
                }
                self = .array(elements)
            }
        }
    }

    private init(encoding model: some Encodable, coding: JsonCoding) throws {
        let node = ParameterNode()
        try ParameterEncoder(node: node, coding: coding, codingPath: []).encode(model)
        self = node.value
    }
}
