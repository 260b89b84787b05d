package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
package import CoreNetKitSystem

/// A value that can be written into a query or a form.
package enum ParameterValue: Sendable, Hashable {
    /// No value; ``ParameterStrategies/NilEncoding`` decides how it is written.
    case null
    /// True or false; ``ParameterStrategies/BoolEncoding`` decides how it is written.
    case bool(Bool)
    /// A number as text, so that no digit is lost.
    case number(String)
    case string(String)
    /// A point in time; ``ParameterStrategies/DateEncoding`` decides how it is written.
    case date(Date)
    /// Values in order; ``ParameterStrategies/ArrayEncoding`` decides how they are named.
    case array([ParameterValue])
    /// Values by name; ``ParameterStrategies/DictionaryEncoding`` decides how they are named.
    case object([String: ParameterValue])

    /// Creates a value from JSON, such as a model's raw form; numbers keep their text.
    ///
    /// A model that is not encoded yet never becomes JSON: its dates, bools and `nil` are left to the strategies.
    package init(json: Json) throws(RequestEncodingError) {
        do { try self.init(json, coding: json.coding) } catch let error as RequestEncodingError { throw error } catch {
            throw RequestEncodingError("the model cannot be encoded: \(error)")
        }
    }

    /// Creates a value from JSON; `coding` says how names, bytes and infinite numbers are written, unless the value has
    /// options of its own.
    package init(_ json: Json, coding: JsonCoding) throws {
        let coding = json.coding.isDefault ? coding : json.coding
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

extension [TransportRequest.Item] {
    /// `a=b&c=d`, escaped, in the given order.
    package func serialized(as table: PercentEncoding.Table) -> String {
        var text = ""
        for (index, item) in enumerated() {
            if index > 0 { text += "&" }
            text += PercentEncoding.encode(item.name, as: table)
            text += "="
            text += PercentEncoding.encode(item.value, as: table)
        }
        return text
    }
}

/// Why parameters or a multipart model cannot be encoded for a request.
public struct RequestEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the value, such as `filter.owner` or `ids[2]`; empty for the whole.
    public internal(set) var path: String
    /// The problem, without the value itself.
    public let reason: String

    package init(at path: String = "", _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// One line fit for a log.
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    func under(_ key: String) -> RequestEncodingError {
        .init(at: path.isEmpty || path.hasPrefix("[") ? key + path : "\(key).\(path)", reason)
    }

    func under(_ index: Int) -> RequestEncodingError { under("[\(index)]") }
}
