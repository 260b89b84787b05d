import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// How values become the items of a query or a form.
public struct ParameterStrategies: Sendable, Hashable {
    /// How a bool is written.
    public var bool: BoolEncoding
    /// How the elements of an array are named.
    public var array: ArrayEncoding
    /// How an empty array is written.
    public var emptyArray: EmptyArrayEncoding
    /// How the values of a nested dictionary are named.
    public var dictionary: DictionaryEncoding
    /// How `nil` is written.
    public var null: NilEncoding
    /// How a date is written.
    public var date: DateEncoding
    /// How a space is written in a form.
    public var space: SpaceEncoding

    /// Creates strategies.
    public init(
        bool: BoolEncoding = .asInt,
        array: ArrayEncoding = .brackets,
        dictionary: DictionaryEncoding = .brackets,
        null: NilEncoding = .omit,
        date: DateEncoding = .iso8601,
        space: SpaceEncoding = .asPlus,
        emptyArray: EmptyArrayEncoding = .omit
    ) {
        self.bool = bool
        self.array = array
        self.dictionary = dictionary
        self.null = null
        self.date = date
        self.space = space
        self.emptyArray = emptyArray
    }

    /// The text of a URL's query, without `?`; empty if there is nothing to write.
    package func query(_ value: ParameterValue) throws(RequestEncodingError) -> String {
        try items(value).serialized(as: .component)
    }

    /// The content of a form (`application/x-www-form-urlencoded`).
    package func form(_ value: ParameterValue) throws(RequestEncodingError) -> String {
        try items(value).serialized(as: space == .asPlus ? .form : .component)
    }

    /// The items in their order on the wire: keys sorted by bytes at every level, elements in the array's order.
    package func items(_ value: ParameterValue) throws(RequestEncodingError) -> [TransportRequest.Item] {
        var items: [TransportRequest.Item] = []
        switch value {
        case .null: break
        case .object(let values): try append(values, to: &items) { $0 }
        case .array:
            throw RequestEncodingError("an array has no names to write into a query or form; put it under a key")
        case .bool, .number, .string, .date:
            throw RequestEncodingError("a single value has no name to write into a query or form; put it under a key")
        }
        return items
    }

    private func append(
        _ values: [String: ParameterValue],
        to items: inout [TransportRequest.Item],
        name: (String) -> String
    ) throws(RequestEncodingError) {
        for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            do { try append(value, named: name(key), to: &items) } catch { throw error.under(key) }
        }
    }

    private func append(
        _ value: ParameterValue,
        named name: String,
        to items: inout [TransportRequest.Item]
    ) throws(RequestEncodingError) {
        switch value {
        case .array(let values):
            if values.isEmpty, emptyArray == .empty {
                items.append(.init(array == .brackets ? name + "[]" : name, ""))
            }
            for (index, value) in values.enumerated() {
                do {
                    try append(value, named: elementName(name, index), to: &items)
                } catch { throw error.under(index) }
            }
        case .object(let values):
            try append(values, to: &items) { dictionary == .brackets ? "\(name)[\($0)]" : "\(name).\($0)" }
        case .null:
            if null != .omit { items.append(.init(name, null == .null ? "null" : "")) }
        case .bool(let value):
            items.append(.init(name, text(of: value)))
        case .number(let text), .string(let text):
            items.append(.init(name, text))
        case .date(let value):
            items.append(.init(name, try date.text(of: value)))
        }
    }

    private func elementName(_ name: String, _ index: Int) -> String {
        switch array {
        case .brackets: name + "[]"
        case .noBrackets: name
        case .indexed: "\(name)[\(index)]"
        }
    }

    private func text(of value: Bool) -> String {
        switch bool {
        case .asInt: value ? "1" : "0"
        case .asBool: value ? "true" : "false"
        }
    }
}

extension ParameterStrategies.DateEncoding {
    func text(of date: Date) throws(RequestEncodingError) -> String {
        let seconds = date.timeIntervalSince1970
        switch self {
        case .iso8601:
            if let time = CivilTime(date) { return time.iso8601 }
        case .iso8601WithMilliseconds:
            if let text = CivilTime.iso8601WithMilliseconds(date) { return text }
        case .secondsSince1970:
            if let whole = Int64(exactly: seconds) { return String(whole) }
            if seconds.isFinite { return String(seconds) }
        case .millisecondsSince1970:
            if let whole = Int64(exactly: (seconds * 1000).rounded()) { return String(whole) }
        }
        throw RequestEncodingError("a date that is outside the range of its format cannot be written")
    }
}
